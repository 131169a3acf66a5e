"""Tries the walls from inside: each trial is a checker that does what a wall is there to stop."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from rubricstudio.sandbox.jail import Jail
from rubricstudio.sandbox.ladder import Ladder, Rung


def _checker(body: str) -> str:
    return f"def check_following(instruction, response):\n    {body}\n"


TRIALS: Final = {
    "reading a file": _checker("return bool(open('/etc/hostname').read())"),
    "writing a file": _checker("return bool(open('/tmp/doctor', 'w').write('x'))"),
    "a connection": _checker("import socket; return bool(socket.socket())"),
    "another process": _checker("import os; return os.fork() >= 0"),
    "a signal to the outside": _checker("import os; return os.kill(os.getppid(), 0) is None"),
    "the host's environment": _checker("import os; return 'HOME' in os.environ"),
    "memory without end": _checker("return len(bytes(10**9)) > 0"),
    "time without end": _checker("\n    while True: pass"),
}
"""What is tried, and the source that tries it; only a verdict of True means that a wall leaks."""


@dataclass(frozen=True)
class Trial:
    """One try: whether the wall held, and what the jail answered."""

    name: str
    held: bool
    how: str


@dataclass(frozen=True)
class Diagnosis:
    """The walls as they were put up, and as they held when they were tried."""

    ladder: Ladder
    trials: tuple[Trial, ...]

    @property
    def well(self) -> bool:
        """Every wall stands, and each trial was stopped."""
        return self.ladder.rung is Rung.FULL and all(one.held for one in self.trials)


def diagnose() -> Diagnosis:
    """Put up the walls in a jail of their own and try each of them; takes about a second.

    Raises as :meth:`Jail.ladder` does.
    """
    jail = Jail(gated=False)
    try:
        ladder = jail.ladder()
        trials = () if ladder.rung is Rung.REFUSED else _try_all(jail)
        return Diagnosis(ladder, trials)
    finally:
        jail.close()


def _try_all(jail: Jail) -> tuple[Trial, ...]:
    found = []
    rows = jail.check(list(TRIALS.values()), "", ["a response"])
    for name, (answer,) in zip(TRIALS, rows, strict=True):
        held = answer.verdict is not True
        how = answer.reason or ("was possible" if not held else "came to nothing")
        found.append(Trial(name, held, f"{answer.cause.value}: {how}"))
    return tuple(found)
