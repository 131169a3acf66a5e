"""From a file to rows: plain functions that stream, and know no tables.

A file is looked at (`open_source`), recognised (`recognise`: encoding and format, by content) and
read (`TextFile.rows`). What cannot be used as a whole raises BadInput; a row that cannot be used is
a `BadRow` among the others. Memory stays the same however long the file is.
"""

from apps.prompts.reading.formats import FileFormat, TextFile, recognise
from apps.prompts.reading.rows import BadRow, MissingColumn, Row, RowError, storable
from apps.prompts.reading.source import Source, open_source
from apps.prompts.reading.values import kind_of, parse_json

__all__ = [
    "BadRow",
    "FileFormat",
    "MissingColumn",
    "Row",
    "RowError",
    "Source",
    "TextFile",
    "kind_of",
    "open_source",
    "parse_json",
    "recognise",
    "storable",
]
