"""Keeps a set of parts running: starts them, starts them again, and stops them together.

Parts are data. Each leads a process group of its own and logs to a file of its own. No part
outlives the supervisor, however that ends: the kernel tells the parts, and a watchdog follows up.
"""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from rubricstudio.local import paths, processes
from rubricstudio.local.watchdog import Watchdog

# Celery's warm stop (its pool alone takes 5 s), its cold one, then kill: this leaves the database
# its share of the 30 s that a stop may take.
STEPS = (processes.Step(signal.SIGTERM, 11.0), processes.Step(signal.SIGQUIT, 4.0))
LONGEST_PAUSE = 30.0
STEADY_AFTER = 60.0


@dataclass(frozen=True)
class Part:
    """A program to keep running."""

    name: str
    command: tuple[str, ...]
    environment: Mapping[str, str] = field(default_factory=dict)


@dataclass
class _Running:
    part: Part
    process: subprocess.Popen[bytes]
    started: float
    failures: int = 0
    again_at: float | None = None


class Supervisor:
    """Parts in a data folder; ``say`` gets a sentence for people when a part ends by itself."""

    def __init__(
        self, data: Path, *, say: Callable[[str], None], holds: Collection[int] = ()
    ) -> None:
        self.data = data
        self.say = say
        self.holds = holds
        self._running: dict[str, _Running] = {}
        self._watchdog = self._new_watchdog()

    def start(self, part: Part) -> None:
        """Start a part and tell the watchdog."""
        process = self._spawn(part)
        self._running[part.name] = _Running(part, process, started=time.monotonic())
        self._tell_watchdog()

    def look(self) -> None:
        """Note which parts have ended and start those again whose pause is over."""
        for running in self._running.values():
            if running.again_at is not None:
                self._start_again(running)
            elif running.process.poll() is not None:
                self._put_off(running)
        if self._watchdog.process.poll() is not None:
            self._watchdog.dismiss()
            self._watchdog = self._new_watchdog()
            self._tell_watchdog()

    def stop(self) -> None:
        """Stop all parts, within the seconds of STEPS and of the kill after them."""
        processes.end_groups(self._groups(), steps=STEPS)
        for running in self._running.values():
            with suppress(subprocess.TimeoutExpired):  # the kernel may hold it in a call
                running.process.wait(1.0)
        self._running.clear()
        self._watchdog.dismiss()

    def _spawn(self, part: Part) -> subprocess.Popen[bytes]:
        with paths.log_file(self.data, part.name).open("ab") as log:
            return subprocess.Popen(
                part.command,
                cwd=paths.CHECKOUT,
                env={**os.environ, **part.environment},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                preexec_fn=processes.dies_with_parent(signal.SIGTERM),
            )

    def _put_off(self, running: _Running) -> None:
        """Decide when to start an ended part again: after longer and longer pauses."""
        processes.end_groups({running.process.pid}, steps=())
        was_steady = time.monotonic() - running.started > STEADY_AFTER
        running.failures = 1 if was_steady else running.failures + 1
        pause = min(LONGEST_PAUSE, 2.0 ** (running.failures - 1))
        running.again_at = time.monotonic() + pause
        log = paths.log_file(self.data, running.part.name)
        self.say(
            f"{running.part.name} ended ({_how(running.process.returncode)}); it starts again in "
            f"{pause:.0f} s, its log is {log}."
        )

    def _start_again(self, running: _Running) -> None:
        if running.again_at is None or time.monotonic() < running.again_at:
            return
        running.process = self._spawn(running.part)
        running.started, running.again_at = time.monotonic(), None
        self._tell_watchdog()

    def _groups(self) -> set[int]:
        return {running.process.pid for running in self._running.values()}

    def _tell_watchdog(self) -> None:
        self._watchdog.watch(self._groups())

    def _new_watchdog(self) -> Watchdog:
        with paths.log_file(self.data, "watchdog").open("ab") as log:
            return Watchdog(holds=self.holds, log=log)


@contextmanager
def supervised(
    data: Path, *, say: Callable[[str], None], holds: Collection[int] = ()
) -> Iterator[Supervisor]:
    """A supervisor whose parts are stopped at the end, whatever happens."""
    supervisor = Supervisor(data, say=say, holds=holds)
    try:
        yield supervisor
    finally:
        supervisor.stop()


def _how(code: int) -> str:
    return f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
