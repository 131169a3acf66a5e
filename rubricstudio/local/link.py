"""The one-time sign-in link of the first administrator, made by Django in a child process."""

import contextlib
import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Self

from rubricstudio.local import paths, processes

SECONDS = 60.0


class FirstLink:
    """Asked for while the parts start, read when they have."""

    def __init__(self, data: Path) -> None:
        command = [sys.executable, "manage.py", "signin_link", "--first-admin"]
        with paths.log_file(data, "signin_link").open("ab") as log:
            self.process = subprocess.Popen(
                command,
                cwd=paths.CHECKOUT,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=log,
                start_new_session=True,
                preexec_fn=processes.dies_with_parent(signal.SIGTERM),
            )

    def read(self) -> str | None:
        """The link; None when an administrator has signed in before, or none could be made."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            output, _ = self.process.communicate(timeout=SECONDS)
            lines = output.decode().strip().splitlines()
            with contextlib.suppress(ValueError, IndexError, AttributeError):
                url: str | None = json.loads(lines[-1]).get("url")
                return url
        return None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        processes.end(self.process, steps=(processes.Step(signal.SIGTERM, 2.0),))
        if self.process.stdout is not None:
            self.process.stdout.close()
