"""The bytes of a bundle, in the database: files as chunks that a range can be read from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from apps.bundles.models import Bundle, BundleChunk, BundleFile
from rubricstudio.core.bundle import FileEntry

# A few mebibytes a statement: the database takes them at once and memory stays flat.
CHUNKS_AT_ONCE = 8


def store_files(*, bundle: Bundle, folder: Path, entries: Sequence[FileEntry]) -> None:
    """Take the listed files of a folder into a bundle."""
    files = BundleFile.objects.bulk_create(
        BundleFile(
            bundle=bundle, path=entry.path, sha256=entry.sha256, size=entry.bytes, rows=entry.rows
        )
        for entry in entries
    )
    for file in files:
        chunks = _chunks(file, folder / file.path)
        while some := list(islice(chunks, CHUNKS_AT_ONCE)):
            BundleChunk.objects.bulk_create(some)


def _chunks(file: BundleFile, path: Path) -> Iterator[BundleChunk]:
    with path.open("rb") as source:
        for position, data in enumerate(iter(lambda: source.read(BundleChunk.SIZE), b"")):
            yield BundleChunk(file=file, position=position, data=data)
