"""Which file format a text is in, by its content; the name of the file only breaks ties."""

from __future__ import annotations

import json
from collections.abc import Iterator
from enum import StrEnum
from typing import NamedTuple

from django.utils.translation import gettext as _

from apps.activity.errors import BadInput
from apps.prompts.reading.array import read_array
from apps.prompts.reading.encoding import find_encoding, open_text
from apps.prompts.reading.lines import read_lines
from apps.prompts.reading.rows import BadRow, Row
from apps.prompts.reading.source import Source
from apps.prompts.reading.table import read_table, sniff_delimiter

HEAD_CHARACTERS = 64 * 1024


class FileFormat(StrEnum):
    """How the rows stand in the file."""

    JSONL = "jsonl"
    JSON = "json"
    CSV = "csv"
    TSV = "tsv"


class TextFile(NamedTuple):
    """A file whose encoding and format are known."""

    source: Source
    encoding: str
    format: FileFormat
    delimiter: str

    def rows(self) -> Iterator[Row | BadRow]:
        """The rows in their order, read as they are asked for."""
        newline = "\n" if self.format is FileFormat.JSONL else ""
        with open_text(self.source, self.encoding, newline=newline) as stream:
            if self.format is FileFormat.JSONL:
                yield from read_lines(stream)
            elif self.format is FileFormat.JSON:
                yield from read_array(stream)
            else:
                yield from read_table(stream, delimiter=self.delimiter)


def recognise(source: Source, *, format: str = "", encoding: str = "") -> TextFile:
    """Find the encoding and the format, or take those that are named. Raises BadInput."""
    codec = find_encoding(source, named=encoding)
    with open_text(source, codec, newline="") as stream:
        head = stream.read(HEAD_CHARACTERS)
    if not head.strip():
        raise BadInput(
            _("%(name)s holds nothing but white space: there is nothing to import.")
            % {"name": source.name}
        )
    chosen = FileFormat(format) if format else _format_of(head, source.name)
    return TextFile(source, codec, chosen, _delimiter(chosen, head))


def _format_of(head: str, name: str) -> FileFormat:
    start = head.lstrip()
    if start.startswith("["):
        return FileFormat.JSON
    if start.startswith("{"):
        _check_lines(head, name)
        return FileFormat.JSONL
    return FileFormat.TSV if sniff_delimiter(head) == "\t" else FileFormat.CSV


def _check_lines(head: str, name: str) -> None:
    """Refuse one object over many lines, which would look like nothing but bad lines."""
    lines = [line for line in head.split("\n") if line.strip()]
    if len(lines) == 1 or any(_is_object(line) for line in lines):
        return
    if lines[0].strip() == "{":
        raise BadInput(
            _("%(name)s is one JSON object over many lines: save its rows as a list or as JSONL.")
            % {"name": name}
        )


def _is_object(line: str) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def _delimiter(chosen: FileFormat, head: str) -> str:
    if chosen is FileFormat.TSV:
        return "\t"
    return sniff_delimiter(head) if chosen is FileFormat.CSV else ""
