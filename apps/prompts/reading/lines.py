r"""JSONL: one object a line, lines end at \n only (U+2028 and its like may stand in a text)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TextIO

from django.utils.translation import gettext as _

from apps.prompts.reading.rows import ROW_MAX_CHARACTERS, BadRow, Row, RowError, bad_row
from apps.prompts.reading.values import as_object, parse_json


def read_lines(stream: TextIO) -> Iterator[Row | BadRow]:
    """The rows of a stream that was opened with newline="\\n"; blank lines are none."""
    number = 0
    while line := stream.readline(ROW_MAX_CHARACTERS):
        number += 1
        if not line.endswith("\n") and len(line) >= ROW_MAX_CHARACTERS:
            _skip_to_next_line(stream)
            yield bad_row(number, RowError(too_long()), line)
        elif not line.isspace():
            yield _row(number, line)


def _row(number: int, line: str) -> Row | BadRow:
    try:
        check_decoded(line)
        return Row(number, as_object(parse_json(line)), line)
    except RowError as error:
        return bad_row(number, error, line)


def check_decoded(text: str) -> None:
    """Refuse text with a byte that is not of the file's encoding (kept as half a pair)."""
    if text.isascii():
        return
    try:
        text.encode()
    except UnicodeEncodeError as error:
        byte = ord(text[error.start]) & 0xFF
        raise RowError(
            _("the byte 0x%(byte)02X is not UTF-8: repair the row.") % {"byte": byte},
            column=error.start + 1,
        ) from None


def too_long() -> str:
    return _("longer than %(limit)d characters: shorten or split it.") % {
        "limit": ROW_MAX_CHARACTERS
    }


def _skip_to_next_line(stream: TextIO) -> None:
    while (rest := stream.readline(ROW_MAX_CHARACTERS)) and not rest.endswith("\n"):
        pass
