"""Rows of scores fused into rewards, without a server."""

from collections.abc import Iterable, Iterator
from typing import Any, Final

from rubricstudio.core.fusion import Fused, fuse_rows
from rubricstudio.scoring.rows import RowError, read_rows

NOTHING: Final[dict[str, Any]] = {
    "rewards": None,
    "utilities": None,
    "components": {},
    "advantages": None,
}


def fuse_lines(lines: Iterable[bytes]) -> Iterator[dict[str, Any]]:
    """The result of every line that is not blank, in order.

    Rows of the same aggregator and settings are one batch, so all lines are read first. A line that
    cannot be fused has ``null`` for rewards and advantages, and an ``error`` with its number.
    """
    rows = list(read_rows(lines))
    made = iter(fuse_rows(row for _, row in rows if not isinstance(row, RowError)))
    for number, row in rows:
        found = row if isinstance(row, RowError) else next(made)
        if isinstance(found, Fused):
            yield found.to_dict()
        else:
            yield {**NOTHING, "flags": {}, "error": f"line {number}: {found}"}
