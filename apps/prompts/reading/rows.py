"""What a reader yields: rows, and the rows that cannot be read."""

from __future__ import annotations

from typing import Any, NamedTuple

EXCERPT_CHARACTERS = 120
# A longer row is refused, so that no file can fill the memory.
ROW_MAX_CHARACTERS = 32 * 1024**2


class RowError(ValueError):
    """A row that cannot be taken; the message says what is wrong and what to do."""

    def __init__(self, reason: str, *, column: int | None = None) -> None:
        super().__init__(reason)
        self.reason = str(reason)
        self.column = column


class MissingColumn(RowError):
    """A row without a column that is needed. In a table no other row has it either."""


class Row(NamedTuple):
    """One row: the line it starts on (from 1), its values, its text, and whether it is a table's.

    The values of a table's row are all text.
    """

    line: int
    values: dict[str, Any]
    text: str
    table: bool = False

    def brief(self) -> Row:
        """What is needed to reject the row later, without its values."""
        return Row(self.line, {}, self.text[:EXCERPT_CHARACTERS], self.table)

    def rejected(self, error: RowError) -> BadRow:
        return bad_row(self.line, error, self.text)


class BadRow(NamedTuple):
    """A row that is not taken: where, why, and the first 120 characters of it."""

    line: int
    column: int | None
    reason: str
    excerpt: str


def bad_row(line: int, error: RowError, text: str) -> BadRow:
    excerpt = storable(text[:EXCERPT_CHARACTERS].strip("\r\n"))
    # A reason may quote names out of the row.
    return BadRow(line, error.column, storable(error.reason), excerpt[:EXCERPT_CHARACTERS])


def storable(text: str) -> str:
    """The text as a database can hold it: NUL drawn, half surrogate pairs and bad bytes spelled."""
    drawn = text.replace("\x00", "\N{SYMBOL FOR NULL}")
    return drawn.encode("utf-8", "backslashreplace").decode("utf-8")
