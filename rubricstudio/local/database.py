"""The embedded database as a shared service; run as a module, its keeper."""

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from rubricstudio.local import paths, postgres, sharing

DATABASE = sharing.Service(
    name="database", module="rubricstudio.local.database", start_seconds=150.0
)


@contextlib.contextmanager
def borrow_database(data: Path | None = None) -> Iterator[sharing.Share | None]:
    """Use the embedded database, starting and stopping it if nobody else does.

    Nothing happens (None) when ``DATABASE_URL`` names a server. Raises LocalError when it is no
    address of one.
    """
    if url := os.environ.get("DATABASE_URL"):
        paths.split_database_url(url)
        yield None
        return
    with sharing.shared(DATABASE, data or paths.data_dir()) as share:
        yield share


class _Keeper:
    """The postmaster as child of this process."""

    def __init__(self, data: Path) -> None:
        self.data = data
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> dict[str, str]:
        cluster = postgres.embedded_cluster(self.data)
        cluster.prepare()
        self.process = cluster.start()
        return {"version": cluster.binaries.version}

    def is_alive(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def stop(self) -> None:
        if self.process is not None:
            postgres.stop(self.process)


if __name__ == "__main__":
    keeper = _Keeper(Path(sys.argv[1]))
    sharing.keep(
        DATABASE,
        keeper.data,
        start=keeper.start,
        is_alive=keeper.is_alive,
        stop=keeper.stop,
    )
