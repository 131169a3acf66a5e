"""The constraint that a response has a table."""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import regex

from rubricstudio.core.checkers.answers import Answer, Check, Values, counted
from rubricstudio.core.checkers.constraint_type import ConstraintType
from rubricstudio.core.checkers.params import Kind, Param
from rubricstudio.core.checkers.segmentation import DocumentView, Part
from rubricstudio.core.checkers.segmentation.lines import is_delimiter_row
from rubricstudio.core.types import Span

_CELL_END: Final = regex.compile(r"(?<!\\)\|")
_PLAIN: Final = str.maketrans("", "", "*_`")


class Table(NamedTuple):
    """A table: the cells of its head, how many rows stand below, and where it stands."""

    head: tuple[str, ...]
    rows: int
    span: Span


def table(params: Values, _: Values) -> Check:
    """One table at least has the columns, the rows and the head that are asked for."""
    columns, rows = params["columns"], params["rows"]
    heads = [_folded(one) for one in params["headers"] or ()]
    asked = _asked(columns, rows, heads)

    def fits(one: Table) -> bool:
        named = [_folded(cell) for cell in one.head]
        return (
            columns in (None, len(one.head)) and rows in (None, one.rows) and heads in ([], named)
        )

    def check(view: DocumentView) -> Answer:
        found = list(find_tables(view.part(Part.OUTSIDE_CODE).text))
        told = next(filter(fits, found), found[0] if found else None)
        if told is None:
            return Answer(False, f"no table, {asked} asked")
        size = f"{counted(len(told.head), 'column')} and {counted(told.rows, 'row')} below the head"
        return Answer(fits(told), f"a table with {size}, {asked} asked", (told.span,))

    return check


def _asked(columns: int | None, rows: int | None, heads: Sequence[str]) -> str:
    parts = []
    if columns is not None:
        parts.append(counted(columns, "column"))
    if rows is not None:
        parts.append(counted(rows, "row"))
    if heads:
        parts.append(f"the head {' | '.join(heads)}")
    return f"one with {' and '.join(parts)}" if parts else "one"


def _folded(cell: str) -> str:
    return " ".join(cell.translate(_PLAIN).split()).casefold()


def find_tables(text: str) -> Iterator[Table]:
    """The tables of a text: a head, a row of dashes below, and rows until one has no bar."""
    if "|" not in text:
        return
    lines = text.split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    at = 1
    while at < len(lines):
        if is_delimiter_row(lines[at]) and "|" in lines[at - 1]:
            end = _end(lines, at + 1)
            span = Span(starts[at - 1], starts[end] - 1)
            yield Table(_cells(lines[at - 1]), end - at - 1, span)
            at = end
        at += 1


def _end(lines: Sequence[str], at: int) -> int:
    while at < len(lines) and "|" in lines[at]:
        at += 1
    return at


def _cells(line: str) -> tuple[str, ...]:
    inner = line.strip().removeprefix("|")
    if inner.endswith("|") and not inner.endswith("\\|"):
        inner = inner[:-1]
    return tuple(cell.strip() for cell in _CELL_END.split(inner))


TYPES: Final = (
    ConstraintType(
        "table",
        "has a table",
        {
            "columns": Param(Kind.COUNT, "how many columns it has"),
            "rows": Param(Kind.COUNT, "how many rows it has below its head"),
            "headers": Param(Kind.TEXTS, "what its head says, in order"),
        },
        {},
        table,
    ),
)
