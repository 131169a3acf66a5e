"""Which walls stand on this machine, and what that allows: the rungs of a ladder.

The rungs go down one by one: full; no namespaces (a container forbids them); no Landlock either;
no filter of system calls, where generated code is refused. Nothing goes down silently: the rung is
on the health page, and ``manage.py checker_doctor`` fails unless it is the full one.
"""

from __future__ import annotations

import platform
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

NAMESPACES: Final = "namespaces"
LANDLOCK: Final = "landlock"
LIMITS: Final = "limits"
SECCOMP: Final = "seccomp"

ONLY_LINUX: Final = (
    "generated checkers run on Linux alone, for only there the walls exist that hold them; "
    "this is {system}, and checkers that are data run here as everywhere"
)


class Rung(StrEnum):
    """How far the walls stand."""

    FULL = "full"
    NO_NAMESPACES = "no_namespaces"
    NO_LANDLOCK = "no_landlock"
    REFUSED = "refused"


MEANINGS: Final = {
    Rung.FULL: "Every wall stands: generated checkers run.",
    Rung.NO_NAMESPACES: (
        "There are no namespaces: Landlock, the filter of system calls and limits hold generated "
        "checkers. Allow unprivileged user namespaces, or in a container the call unshare, for all."
    ),
    Rung.NO_LANDLOCK: (
        "There is no Landlock: the filter of system calls and limits hold generated checkers. Use "
        "a kernel of 5.13 or newer that has Landlock switched on."
    ),
    Rung.REFUSED: (
        "The filter of system calls or the limits cannot be set: generated checkers are refused, "
        "and only checkers that are data run."
    ),
}


@dataclass(frozen=True)
class Layer:
    """One wall: whether it stands, and how that was tried or why it does not."""

    name: str
    stands: bool
    how: str


@dataclass(frozen=True)
class Ladder:
    """What a zygote said of its walls when it started."""

    layers: tuple[Layer, ...]

    @property
    def rung(self) -> Rung:
        standing = {layer.name for layer in self.layers if layer.stands}
        if not {SECCOMP, LIMITS} <= standing:
            return Rung.REFUSED
        if LANDLOCK not in standing:
            return Rung.NO_LANDLOCK
        return Rung.FULL if NAMESPACES in standing else Rung.NO_NAMESPACES

    @property
    def meaning(self) -> str:
        """What the rung means for generated checkers, as a sentence."""
        return MEANINGS[self.rung]


def refusal_of_system() -> str | None:
    """Why this operating system cannot hold generated code; None where it may."""
    system = platform.system()
    if system == "Linux":
        return None
    return ONLY_LINUX.format(system={"Darwin": "macOS"}.get(system, system))
