"""The bytes of a bundle, in the database: files as chunks that a range can be read from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from django.db import connection

from apps.bundles.models import Bundle, BundleChunk, BundleFile
from rubricstudio.core.bundle import FileEntry

COPY = "COPY bundles_bundlechunk (file_id, position, data) FROM STDIN (FORMAT BINARY)"


def store_files(*, bundle: Bundle, folder: Path, entries: Sequence[FileEntry]) -> None:
    """Take the listed files of a folder into a bundle; one chunk is in memory at a time."""
    files = BundleFile.objects.bulk_create(
        BundleFile(
            bundle=bundle, path=entry.path, sha256=entry.sha256, size=entry.bytes, rows=entry.rows
        )
        for entry in entries
    )
    # As they are: a statement with parameters would write out every byte as two digits.
    with connection.cursor() as cursor, cursor.copy(COPY) as copy:
        copy.set_types(["int8", "int4", "bytea"])
        for file in files:
            for position, data in enumerate(_chunks(folder / file.path)):
                copy.write_row((file.pk, position, data))


def _chunks(path: Path) -> Iterator[bytes]:
    with path.open("rb") as source:
        while data := source.read(BundleChunk.SIZE):
            yield data
