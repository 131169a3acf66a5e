"""The database of the test suite: a cluster that is thrown away, in a process of its own.

``RUBRICSTUDIO_TEST_DATABASE_URL`` or ``DATABASE_URL`` names another server instead. Otherwise a
child process makes a cluster in a temporary folder and removes it when its standard input closes:
at the end of the suite, or when pytest is killed.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from rubricstudio.local import paths, postgres

NAMED = ("RUBRICSTUDIO_TEST_DATABASE_URL", "DATABASE_URL")


class ThrowawayCluster:
    """A running cluster that vanishes with the process that started it."""

    def __init__(self) -> None:
        self._keeper = subprocess.Popen(
            [sys.executable, "-m", "tests.pg"],
            cwd=paths.CHECKOUT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,  # ctrl-C is for pytest, which then closes it
        )
        assert self._keeper.stdout is not None
        self.url = self._keeper.stdout.readline().decode().strip()
        if not self.url:
            raise SystemExit("The database of the test suite did not start; see above.")

    def close(self) -> None:
        assert self._keeper.stdin is not None
        assert self._keeper.stdout is not None
        self._keeper.stdin.close()
        self._keeper.stdout.close()
        self._keeper.wait()


def named_url() -> str | None:
    """The server that the environment names for the test suite, if any."""
    return next((os.environ[name] for name in NAMED if os.environ.get(name)), None)


def keep_until_standard_input_closes() -> None:
    data = Path(tempfile.mkdtemp(prefix="rubricstudio-test-"))
    process = None
    try:
        cluster = postgres.embedded_cluster(data, postgres.UNSAFE_AND_FAST)
        cluster.prepare()
        process = cluster.start()
        print(paths.embedded_database_url(cluster.sockets), flush=True)
        sys.stdin.buffer.read()
    finally:
        if process is not None:
            postgres.stop(process, at_once=True)
        shutil.rmtree(paths.socket_dir(data), ignore_errors=True)
        shutil.rmtree(data)


if __name__ == "__main__":
    keep_until_standard_input_closes()
