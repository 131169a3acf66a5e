"""A JSON array of rows, read piece by piece: memory holds one row and the piece around it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, TextIO

from django.utils.translation import gettext as _

from apps.prompts.reading.lines import check_decoded
from apps.prompts.reading.rows import ROW_MAX_CHARACTERS, BadRow, Row, RowError, bad_row
from apps.prompts.reading.values import DECODER, as_object, check_depth, parse_json

PIECE_CHARACTERS = 1024**2
SPACE = re.compile(r"[ \t\r\n]*")
# A whole string, a bracket, a comma, or the start of a string that goes on beyond the piece.
TOKEN = re.compile(r'"(?:[^"\\]++|\\.)*+"|[{}\[\],]|"', re.DOTALL)


def read_array(stream: TextIO) -> Iterator[Row | BadRow]:
    """The rows of a stream whose first character that is no white space is `[`."""
    buffer = _Buffer(stream)
    buffer.take("[")
    while not buffer.take("]"):
        line = buffer.line
        item = buffer.item()
        if item is None:
            yield bad_row(line, RowError(_broken()), buffer.rest())
            return
        yield _row(line, *item)
        if not buffer.take(",") and not buffer.at("]"):
            yield bad_row(buffer.line, RowError(_broken()), buffer.rest())
            return
    if not buffer.ended():
        yield bad_row(buffer.line, RowError(_("text after the end of the array.")), buffer.rest())


def _broken() -> str:
    return _(
        "the array breaks off here, or a row is longer than %(limit)d characters; what follows was "
        "not read: repair it or use JSONL."
    ) % {"limit": ROW_MAX_CHARACTERS}


def _row(line: int, text: str, value: Any) -> Row | BadRow:
    try:
        check_decoded(text)
        if value is None:
            value = parse_json(text)
        check_depth(value, text)
        return Row(line, as_object(value), text)
    except RowError as error:
        return bad_row(line, error, text)


class _Buffer:
    """A window on the stream: `start` is where the next token begins, `line` its line."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._text = ""
        self._start = 0
        self._done = False
        self.line = 1

    def take(self, mark: str) -> bool:
        """Step over `mark` if it comes next."""
        if not self.at(mark):
            return False
        self._move(self._start + 1)
        return True

    def at(self, mark: str) -> bool:
        self._skip_space()
        return self._text.startswith(mark, self._start)

    def ended(self) -> bool:
        self._skip_space()
        return self._start == len(self._text)

    def rest(self) -> str:
        return self._text[self._start : self._start + 200]

    def item(self) -> tuple[str, Any] | None:
        """The text of the next item with its value (None if it cannot be read); None at the end."""
        while True:
            try:
                value, end = DECODER.raw_decode(self._text, self._start)
                # A number may go on in the next piece; anything else ends where it ends.
                if end < len(self._text) or self._done:
                    return self._move(end), value
            except (json.JSONDecodeError, RowError, RecursionError, ValueError):
                end = self._end_of_item()
                if end:
                    return self._move(end), None
            if not self._more():
                return None

    def _end_of_item(self) -> int:
        """Where the item ends by its brackets; 0 while that lies beyond the window."""
        depth = 0
        for token in TOKEN.finditer(self._text, self._start):
            mark = token.group()
            if mark == '"':
                return 0
            if depth == 0 and mark in ",]}":
                return token.start()
            depth += (mark in "{[") - (mark in "}]")
        return 0

    def _skip_space(self) -> None:
        while True:
            match = SPACE.match(self._text, self._start)
            self._move(match.end() if match else self._start)
            if self._start < len(self._text) or not self._more():
                return

    def _move(self, end: int) -> str:
        passed = self._text[self._start : end]
        self.line += passed.count("\n")
        self._start = end
        return passed

    def _more(self) -> bool:
        """Drop what is behind and read on, at least as much as is left: linear in the whole."""
        if self._done:
            return False
        left = self._text[self._start :]
        if len(left) > ROW_MAX_CHARACTERS:
            self._done = True
            return False
        piece = self._stream.read(max(PIECE_CHARACTERS, len(left)))
        self._done = not piece
        self._text, self._start = left + piece, 0
        return True
