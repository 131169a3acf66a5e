"""What the matrix of a group holds, ready to be drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

from rubricstudio.core.rewards import Component

CRITERION, CHECKER, OVERALL = "criterion", "checker", "global"

COUNTS: Final = ""
DROPPED: Final = "dropped"
UNUSED: Final = "unused"
"""Whether a column counts, was dropped for the whole group, or is not in the configuration."""


class Cell(NamedTuple):
    """One cell: its shape, its word, and the verdict or outcome behind it.

    `kind` is yes, part, no, unscored, failed, stale, queued or number. `address` follows the
    address of the group; empty where nothing was said yet.
    """

    kind: str
    word: str
    address: str = ""
    value: float | None = None
    faded: bool = False


@dataclass(frozen=True)
class Column:
    """An item of the group: a criterion, a checker or the global score."""

    key: str
    kind: str
    label: str
    name: str
    text: str
    weight: float | None = None
    share: float = 1.0
    bucket: str = ""
    hard: bool = False
    negative: bool = False
    state: str = COUNTS
    why: str = ""
    changed: int | None = None
    mean: float | None = None


class Part(NamedTuple):
    """A component of a reward as a stretch of its bar, both as shares of 1."""

    component: Component
    begin: float
    width: float


@dataclass(frozen=True)
class Row:
    """A rollout of the group. `label` is its short name within the group."""

    number: int
    label: str
    policy: str
    step: int | None
    reward: float | None
    why: str
    parts: tuple[Part, ...]
    cells: tuple[Cell, ...]
    rank: int | None = None
    inverted: bool = False
    bracket: str = ""


class Told(NamedTuple):
    """An inversion in words: who fails what, and whom they outrank by how much."""

    column: Column
    row: Row
    over: tuple[tuple[Row, float, Cell], ...]


@dataclass(frozen=True)
class Matrix:
    """Rows by reward, columns by leverage. `pairs` is how many orders there are.

    `inversions` are the first of `inverted`. `outdated`: the reward run stored other numbers.
    """

    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    pairs: int = 0
    inversions: tuple[Told, ...] = ()
    inverted: int = 0
    problem: str = ""
    outdated: bool = False
    stale: int = 0
    other_judge: int = 0

    @property
    def dropped(self) -> list[Column]:
        return [column for column in self.columns if column.state == DROPPED]

    @property
    def buckets(self) -> list[str]:
        """The buckets that the columns have, in their order."""
        return list(dict.fromkeys(one.bucket for one in self.columns if one.bucket))

    @property
    def components(self) -> list[str]:
        """The components that some reward has."""
        there = {part.component for row in self.rows for part in row.parts}
        return [str(one) for one in Component if one in there]

    @property
    def has_rewards(self) -> bool:
        return any(row.reward is not None for row in self.rows)

    def column(self, key: str) -> Column | None:
        return next((one for one in self.columns if one.key == key), None)
