"""Files of JSON lines, row by row: a bad line is an error in its place, and the rest goes on."""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

BOM: Final = b"\xef\xbb\xbf"
Row = Mapping[str, Any]


class RowError(Exception):
    """A row that cannot be used; the message says what about it."""


def read_rows(lines: Iterable[bytes]) -> Iterator[tuple[int, Row | RowError]]:
    """Every line that is not blank, with its number; what is no JSON object is a RowError."""
    for number, line in enumerate(lines, start=1):
        content = line.removeprefix(BOM) if number == 1 else line
        if not content.strip():
            continue
        try:
            yield number, _row(content)
        except RowError as error:
            yield number, error


def unless_wrong(row: Row | RowError) -> Row:
    """The row; raises the error that stands in its place."""
    if isinstance(row, RowError):
        raise row
    return row


def _row(line: bytes) -> Row:
    try:
        row = json.loads(line.decode())
    except UnicodeDecodeError as error:
        raise RowError(f"it is not UTF-8 at byte {error.start}") from None
    except RecursionError:
        raise RowError("it is nested too deep to be read") from None
    except ValueError as error:
        raise RowError(f"it is not JSON: {error}") from None
    if not isinstance(row, dict):
        raise RowError("it is not an object")
    return row
