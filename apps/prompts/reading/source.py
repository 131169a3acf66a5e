"""The file itself: that it is there, is not too large, and holds text."""

from __future__ import annotations

import gzip
import hashlib
import zlib
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

from django.utils.translation import gettext as _

from apps.activity.errors import BadInput

CHUNK_BYTES = 1024**2
GZIP = b"\x1f\x8b"
# Files that are no text, by their first bytes, under the name that people know.
BINARY = {
    b"PAR1": "Parquet",
    b"PK\x03\x04": "zip or Excel",
    b"%PDF": "PDF",
    b"SQLite format 3": "SQLite",
    b"ARROW1": "Arrow",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"BZh": "bzip2",
    b"\xfd7zXZ": "xz",
}


@dataclass(frozen=True, slots=True)
class Source:
    """A file to import. `size` and `sha256` are of the file as it was given, packed or not."""

    path: Path
    name: str
    size: int
    sha256: str
    packed: bool
    limit: int

    def open(self) -> BinaryIO:
        """The file's text as bytes, unpacked."""
        return cast(BinaryIO, gzip.open(self.path)) if self.packed else self.path.open("rb")

    def chunks(self) -> Iterator[bytes]:
        """The unpacked bytes, a megabyte at a time; BadInput once they exceed the limit."""
        read = 0
        try:
            with self.open() as stream:
                while chunk := stream.read(CHUNK_BYTES):
                    read += len(chunk)
                    _check_size(self.name, read, self.limit)
                    yield chunk
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise BadInput(
                _("%(name)s cannot be unpacked (%(error)s): pack it again with gzip.")
                % {"name": self.name, "error": error}
            ) from None


def open_source(path: Path, *, limit: int, name: str = "") -> Source:
    """Look at a file before it is read. Raises BadInput, whose sentence says what to do."""
    name = name or path.name
    try:
        if not path.is_file():
            raise BadInput(_not_a_file(path, name))
        size = path.stat().st_size
        _check_size(name, size, limit)
        with path.open("rb") as stream:
            head = stream.read(16)
            stream.seek(0)
            sha256 = hashlib.file_digest(stream, "sha256").hexdigest()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise BadInput(
            _("%(name)s cannot be read: %(error)s.") % {"name": name, "error": reason}
        ) from None
    _check_text(name, head)
    source = Source(path, name, size, sha256, head.startswith(GZIP), limit)
    if source.packed:
        deque(source.chunks(), maxlen=0)  # unpack it once: that it can be, and how large it gets
    return source


def _not_a_file(path: Path, name: str) -> str:
    if path.is_dir():
        return _("%(name)s is a folder: name one file in it.") % {"name": name}
    if path.exists():
        return _("%(name)s is no ordinary file: save it as one first.") % {"name": name}
    return _("There is no file %(path)s.") % {"path": path}


def _check_size(name: str, size: int, limit: int) -> None:
    if size > limit:
        raise BadInput(
            _(
                "%(name)s is larger than %(limit)d bytes, the largest import here: split it, or "
                "raise IMPORT_MAX_BYTES."
            )
            % {"name": name, "limit": limit}
        )


def _check_text(name: str, head: bytes) -> None:
    if not head:
        raise BadInput(_("%(name)s is empty: there is nothing to import.") % {"name": name})
    for magic, kind in BINARY.items():
        if head.startswith(magic):
            raise BadInput(
                _("%(name)s is a %(kind)s file: export it as JSONL or CSV.")
                % {"name": name, "kind": kind}
            )
