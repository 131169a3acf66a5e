"""CSV and TSV: a header, then records; a record may span lines inside quotes."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterator
from typing import TextIO

from django.utils.translation import gettext as _

from apps.activity.errors import BadInput
from apps.prompts.reading.lines import check_decoded, too_long
from apps.prompts.reading.rows import ROW_MAX_CHARACTERS, BadRow, Row, RowError, bad_row

DELIMITERS = ",\t;|"
csv.field_size_limit(ROW_MAX_CHARACTERS)


def sniff_delimiter(head: str) -> str:
    """The delimiter that gives the header most columns; a comma where none does."""
    sizes = {one: len(_first_record(head, one)) for one in DELIMITERS}
    return max(DELIMITERS, key=lambda one: sizes[one])


def _first_record(head: str, delimiter: str) -> list[str]:
    lines = io.StringIO(head.lstrip("\r\n"), newline="")
    return next(csv.reader(lines, delimiter=delimiter), [])


def read_table(stream: TextIO, *, delimiter: str) -> Iterator[Row | BadRow]:
    """The rows of a stream that was opened with newline="". Lines are those the record starts on.

    Raises BadInput for a header that names a column twice, and for a field or line without an end.
    """
    reader = csv.reader(_lines(stream), delimiter=delimiter, strict=True)
    header: list[str] = []
    while True:
        line = reader.line_num + 1
        try:
            fields = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield bad_row(line, _explain(error, line), "")
            continue
        if not fields:
            continue
        if not header:
            header = _header(fields)
        else:
            yield _row(line, header, fields, delimiter)


def _lines(stream: TextIO) -> Iterator[str]:
    """The lines, none of which may be longer than a row: cut in two, it would make two rows."""
    number = 0
    while line := stream.readline(ROW_MAX_CHARACTERS):
        number += 1
        if len(line) == ROW_MAX_CHARACTERS and line[-1] not in "\r\n":
            raise BadInput(
                _("Line %(line)d of the table is %(reason)s")
                % {"line": number, "reason": too_long()}
            )
        yield line


def _header(fields: list[str]) -> list[str]:
    names = [name.strip() or f"column_{place}" for place, name in enumerate(fields, 1)]
    name, count = Counter(names).most_common(1)[0]
    if count > 1:
        raise BadInput(
            _("The header names the column %(name)r %(count)d times: rename all but one.")
            % {"name": name, "count": count}
        )
    return names


def _row(line: int, header: list[str], fields: list[str], delimiter: str) -> Row | BadRow:
    text = delimiter.join(fields)
    if len(fields) != len(header):
        reason = _("%(found)d fields where the header has %(wanted)d: check quotes and delimiters.")
        return bad_row(line, RowError(reason % {"found": len(fields), "wanted": len(header)}), text)
    try:
        check_decoded(text)
    except RowError as error:
        return bad_row(line, RowError(error.reason), text)
    return Row(line, dict(zip(header, fields, strict=True)), text, table=True)


def _explain(error: csv.Error, line: int) -> RowError:
    """What is wrong with a record. Raises BadInput where it is not clear where the next begins."""
    if "field larger" in str(error):
        raise BadInput(
            _("The record on line %(line)d has a field %(reason)s Or is a quote never closed?")
            % {"line": line, "reason": too_long()}
        )
    return RowError(_("not a record of this table: %(what)s") % {"what": error})
