"""A first look at an uploaded file: how it is read, which column plays which part, its first rows.

Of a large file only the beginning is looked at; whether all of it can be read is for the dry run.
"""

from __future__ import annotations

import gzip
import itertools
import json
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, cast

from django.conf import settings
from django.utils.translation import gettext as _

from apps.activity.errors import BadInput
from apps.prompts.models import Upload
from apps.prompts.reading import BadRow, Row, RowError, TextFile, open_source, recognise, storable
from apps.prompts.services.importing import chosen_format, mapped_columns
from apps.prompts.services.intake import Importer, file_is_gone
from apps.prompts.shapes.columns import Mapped, find_parts

ROWS_SHOWN = 20
COLUMNS_SHOWN = 12
CELL_CHARACTERS = 140
LOOKED_AT_BYTES = 4 * 1024**2
GZIP = b"\x1f\x8b"


@dataclass(frozen=True)
class PreviewRow:
    """A row: its line, its cells in the order of the columns, and why it will be rejected."""

    line: int
    cells: list[str] = field(default_factory=list)
    problem: str = ""


@dataclass(frozen=True)
class Part:
    """A part that columns can play: the one that does, and whether a person said so."""

    name: str
    column: str
    said: bool


@dataclass(frozen=True)
class Preview:
    """What a page shows before anything is imported; with a `problem` there is nothing else."""

    problem: str = ""
    format: str = ""
    encoding: str = ""
    delimiter: str = ""
    columns: list[str] = field(default_factory=list)
    parts: list[Part] = field(default_factory=list)
    rows: list[PreviewRow] = field(default_factory=list)
    whole: bool = True
    more_columns: int = 0

    @property
    def delimiter_name(self) -> str:
        """What stands between the fields of a table, in words."""
        words = {
            ",": _("commas between fields"),
            "\t": _("tabs between fields"),
            ";": _("semicolons between fields"),
            "|": _("bars between fields"),
        }
        return words.get(self.delimiter, "")

    @property
    def headers(self) -> list[tuple[str, str]]:
        """The columns that are shown, each with the parts it plays."""
        played = {one.column: one.name for one in self.parts if one.column}
        return [(name, played.get(name, "")) for name in self.columns[:COLUMNS_SHOWN]]


def preview(upload: Upload, importer: Importer) -> Preview:
    """The first rows of the file, read with what the person said about it."""
    said = upload.options
    try:
        if not upload.path.exists():
            raise BadInput(file_is_gone(upload))
        chosen = chosen_format(said["format"], shapes=importer.shapes)
        mapped = mapped_columns(said["columns"], importer.mappable)
        head, whole = _head(upload)
        source = open_source(head, limit=settings.IMPORT_MAX_BYTES, name=upload.filename)
        file = recognise(source, format=chosen.file, encoding=said["encoding"])
        rows = _first_rows(file, whole=whole)
        return _shown(file, rows, importer, (chosen.shape, mapped), whole=whole)
    except BadInput as error:
        return Preview(problem=error.message)


def _first_rows(file: TextFile, *, whole: bool) -> list[Row | BadRow]:
    """The rows to show, without one that is bad because the beginning ends within it."""
    rows = list(itertools.islice(file.rows(), ROWS_SHOWN))
    if not whole and 0 < len(rows) < ROWS_SHOWN and isinstance(rows[-1], BadRow):
        rows.pop()
    return rows


def _shown(
    file: TextFile,
    rows: list[Row | BadRow],
    importer: Importer,
    said: tuple[str, Mapped],
    *,
    whole: bool,
) -> Preview:
    shape, mapped = said
    columns = list(dict.fromkeys(_names(rows)))
    found = find_parts(tuple(columns), importer.parts, mapped)
    named = dict(mapped)
    parts = [
        Part(name, next(iter(found.get(part, ())), ""), part in named)
        for name, part in importer.mappable.items()
    ]
    return Preview(
        format=file.format.value,
        encoding=file.encoding,
        delimiter=file.delimiter,
        columns=columns,
        parts=parts,
        rows=[_row(one, columns[:COLUMNS_SHOWN], importer, shape, mapped) for one in rows],
        whole=whole,
        more_columns=max(0, len(columns) - COLUMNS_SHOWN),
    )


def _names(rows: Iterable[Row | BadRow]) -> Iterator[str]:
    return (name for row in rows if isinstance(row, Row) for name in row.values)


def _row(
    row: Row | BadRow, columns: list[str], importer: Importer, shape: str, mapped: Mapped
) -> PreviewRow:
    if isinstance(row, BadRow):
        return PreviewRow(row.line, problem=row.reason)
    cells = [_cell(row.values.get(name)) for name in columns]
    try:
        importer.read(row, shape, mapped)
    except RowError as error:
        return PreviewRow(row.line, cells, storable(error.reason))
    return PreviewRow(row.line, cells)


def _cell(value: Any) -> str:
    if value is None:
        return ""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    cut = text[:CELL_CHARACTERS]
    return storable(cut if len(text) <= CELL_CHARACTERS else f"{cut}…")


def _head(upload: Upload) -> tuple[Path, bool]:
    """A file with the beginning of the upload, made once; the upload itself where it is small."""
    if upload.size <= LOOKED_AT_BYTES and not _is_packed(upload.path):
        return upload.path, True
    head = upload.head_path
    if not head.exists():
        try:
            with _unpacked(upload.path) as stream:
                head.write_bytes(_without_cut_row(stream.read(LOOKED_AT_BYTES)))
        except (EOFError, OSError, zlib.error):
            return upload.path, True  # what is wrong with it is told when it is opened
    return head, head.stat().st_size < LOOKED_AT_BYTES


def _is_packed(path: Path) -> bool:
    with path.open("rb") as stream:
        return stream.read(len(GZIP)) == GZIP


def _unpacked(path: Path) -> BinaryIO:
    return cast(BinaryIO, gzip.open(path)) if _is_packed(path) else path.open("rb")


def _without_cut_row(head: bytes) -> bytes:
    """The bytes, with blank lines for a line or character that the cut went through.

    So a beginning that was cut has its full length, and a file that is whole has less.
    """
    if len(head) < LOOKED_AT_BYTES:
        return head
    if 0 in head[:1024]:  # UTF-16 and UTF-32 have whole characters every four bytes
        return head
    end = head.rfind(b"\n")
    kept = head[: end + 1] if end > 0 else head.rstrip(bytes(range(0x80, 0x100)))
    return kept.ljust(LOOKED_AT_BYTES, b"\n")
