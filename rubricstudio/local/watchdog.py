"""What cleans up after a supervisor that was killed.

The supervisor tells the watchdog which process groups run: one line of their numbers at each
change. When its end of the pipe closes and groups are left, nobody else will end them.
"""

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Collection, Iterable
from typing import BinaryIO

from rubricstudio.local import paths, processes

STEPS = (processes.Step(signal.SIGTERM, 8.0), processes.Step(signal.SIGQUIT, 4.0))


class Watchdog:
    """The supervisor's side of the pipe."""

    def __init__(self, *, holds: Collection[int], log: BinaryIO) -> None:
        """``holds`` are locks that the watchdog keeps until all it watches has ended."""
        self.process = subprocess.Popen(
            [sys.executable, "-m", "rubricstudio.local.watchdog"],
            cwd=paths.CHECKOUT,
            stdin=subprocess.PIPE,
            stdout=log,
            stderr=log,
            pass_fds=holds,
            start_new_session=True,
        )

    def watch(self, groups: Iterable[int]) -> None:
        """Replace the groups that are watched; a watchdog that has ended hears nothing."""
        assert self.process.stdin is not None  # noqa: S101 - a pipe was asked for
        line = " ".join(map(str, groups)) + "\n"
        with contextlib.suppress(BrokenPipeError):
            os.write(self.process.stdin.fileno(), line.encode())

    def dismiss(self) -> None:
        assert self.process.stdin is not None  # noqa: S101
        self.process.stdin.close()
        self.process.wait()


def watch(lines: Iterable[str]) -> set[int]:
    """The groups that the last line names, when the lines have ended."""
    groups: set[int] = set()
    for line in lines:
        groups = {int(group) for group in line.split()}
    return groups


if __name__ == "__main__":
    for ignored in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(ignored, signal.SIG_IGN)
    processes.end_groups(watch(sys.stdin), steps=STEPS)
