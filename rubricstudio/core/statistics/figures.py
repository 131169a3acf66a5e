"""A figure that may be undefined, with the reason why it is."""

from dataclasses import dataclass
from math import isfinite

from rubricstudio.core.errors import StatisticsError


@dataclass(frozen=True, slots=True)
class Figure:
    """A number and how many units it stands on; undefined, it has a reason instead of a number.

    ``n`` counts the units that entered, ``left_out`` those that could not (a missing label, a
    constant group), so that a page can show both.
    """

    value: float | None
    n: int
    left_out: int = 0
    reason: str = ""

    def __post_init__(self) -> None:
        if (self.value is None) == (not self.reason):
            raise StatisticsError("a figure has either a value or a reason why it has none")
        if self.value is not None and not isfinite(self.value):
            raise StatisticsError(f"a figure is never {self.value}; it is undefined for a reason")

    @property
    def defined(self) -> bool:
        """Whether there is a number."""
        return self.value is not None


def undefined(reason: str, *, n: int = 0, left_out: int = 0) -> Figure:
    """A figure without a number."""
    return Figure(None, n, left_out, reason)
