"""A project's file: a zip of JSON lines, written while it is sent and read with its hashes."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from django.utils.translation import gettext as _

from apps.activity.errors import BadInput
from rubricstudio.core.canonical import canonical_hash

FORMAT: Final = "rubricstudio-project/1"
MANIFEST: Final = "manifest.json"
LARGEST_MANIFEST: Final = 64 * 1024 * 1024
PIECE: Final = 256 * 1024
# No line of JSON holds these, so that COPY passes each line through as it is.
AS_IT_IS: Final = "(FORMAT csv, DELIMITER e'\\x02', QUOTE e'\\x01')"
# Fast, and within a tenth of the smallest.
LEVEL: Final = 3


@dataclass(frozen=True)
class Entry:
    """A file of the zip as the manifest lists it; `columns` are those that its rows may have."""

    path: str
    rows: int
    size: int
    sha256: str
    columns: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        columns = {"columns": list(self.columns)} if self.columns else {}
        return {
            "path": self.path,
            "rows": self.rows,
            "bytes": self.size,
            "sha256": self.sha256,
            **columns,
        }


def content_hash(entries: Iterable[Entry]) -> str:
    """What names the content: the hash over the paths and hashes of its files, in order."""
    return canonical_hash([[one.path, one.sha256] for one in entries])


@dataclass
class _Counted:
    """Counts and hashes what passes; every line ends with a line feed."""

    rows: int = 0
    size: int = 0
    sha256: Any = field(default_factory=hashlib.sha256)

    def of(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        for piece in pieces:
            self.rows += piece.count(b"\n")
            self.size += len(piece)
            self.sha256.update(piece)
            yield piece


@dataclass(frozen=True)
class Source:
    """A file to be written: its lines are asked for when its turn comes."""

    path: str
    lines: Callable[[], Iterable[bytes]]
    columns: tuple[str, ...] = ()
    # Whether it is part of what the project's content is named by.
    counts: bool = True


def write_zip(sources: Iterable[Source], *, about: dict[str, Any]) -> Iterator[bytes]:
    """The bytes of the zip, in pieces; the manifest, which holds `about`, is its last file."""
    sink = _Sink()
    entries: list[Entry] = []
    counted_ones: list[Entry] = []
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED, compresslevel=LEVEL) as archive:
        for source in sources:
            counted = _Counted()
            yield from _write(archive, source.path, counted.of(in_pieces(source.lines())), sink)
            entry = Entry(
                source.path,
                counted.rows,
                counted.size,
                counted.sha256.hexdigest(),
                source.columns,
            )
            entries.append(entry)
            if source.counts:
                counted_ones.append(entry)
        manifest = {
            "format": FORMAT,
            **about,
            "content_sha256": content_hash(counted_ones),
            "files": [one.as_json() for one in entries],
        }
        text = json.dumps(manifest, ensure_ascii=False, indent=1) + "\n"
        yield from _write(archive, MANIFEST, [text.encode()], sink)
    yield sink.take()


def in_pieces(lines: Iterable[bytes]) -> Iterator[bytes]:
    """The same bytes in pieces of some size: a row each would cost a call each."""
    some: list[bytes] = []
    size = 0
    for line in lines:
        some.append(bytes(line))
        size += len(line)
        if size >= PIECE:
            yield b"".join(some)
            some, size = [], 0
    if some:
        yield b"".join(some)


def _write(
    archive: zipfile.ZipFile, path: str, pieces: Iterable[bytes], sink: _Sink
) -> Iterator[bytes]:
    with archive.open(path, "w", force_zip64=True) as file:
        for piece in pieces:
            file.write(piece)
            if sink.waiting >= PIECE:
                yield sink.take()


class _Sink(io.RawIOBase):
    """Where the zip is written to; it cannot be sought, so sizes follow each file."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self.waiting = 0

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._pieces.append(bytes(data))
        self.waiting += len(data)
        return len(data)

    def take(self) -> bytes:
        taken, self._pieces, self.waiting = b"".join(self._pieces), [], 0
        return taken


class ProjectFile:
    """A project's file that was opened. Raises BadInput where it is none, or not whole."""

    def __init__(self, path: Path) -> None:
        try:
            self._archive = zipfile.ZipFile(path)
        except (zipfile.BadZipFile, OSError) as error:
            raise BadInput(
                _(
                    "%(name)s is no export of a project, or the end of it is missing (%(reason)s): "
                    "export the project again."
                )
                % {"name": path.name, "reason": error}
            ) from None
        self.manifest = self._read_manifest()
        self.entries = {one.path: one for one in map(_entry, self.manifest["files"])}
        self._check_names()

    def __enter__(self) -> ProjectFile:
        return self

    def __exit__(self, *_exception: object) -> None:
        self._archive.close()

    def pieces(self, path: str) -> Iterator[bytes]:
        """The bytes of a file. Raises BadInput at its end where they are not the listed ones."""
        entry, counted = self.entries[path], _Counted()
        try:
            with self._archive.open(path) as file:
                yield from counted.of(iter(lambda: file.read(PIECE), b""))
        except (zipfile.BadZipFile, EOFError, OSError) as error:
            raise _broken(path, str(error)) from None
        if (counted.sha256.hexdigest(), counted.rows) != (entry.sha256, entry.rows):
            raise _broken(path, _("it is not what the manifest lists"))

    def lines(self, path: str) -> Iterator[Any]:
        """The rows of a small file. Raises BadInput for what is no JSON."""
        rest = b""
        try:
            for piece in self.pieces(path):
                *lines, rest = (rest + piece).split(b"\n")
                yield from (json.loads(line) for line in lines)
        except ValueError as error:
            raise _broken(path, str(error)) from None

    def _read_manifest(self) -> dict[str, Any]:
        try:
            if self._archive.getinfo(MANIFEST).file_size > LARGEST_MANIFEST:
                raise ValueError(_("it is too large"))
            manifest = json.loads(self._archive.read(MANIFEST))
            if manifest["format"] != FORMAT:
                raise BadInput(
                    _("The file has the format %(found)r, and this version reads %(known)r.")
                    % {"found": manifest["format"], "known": FORMAT}
                )
            manifest["project"]["slug"], manifest["files"]
        except (KeyError, TypeError, ValueError, zipfile.BadZipFile) as error:
            raise _broken(MANIFEST, f"{type(error).__name__}: {error}") from None
        return dict(manifest)

    def _check_names(self) -> None:
        there = set(self._archive.namelist()) - {MANIFEST}
        if there != set(self.entries):
            odd = sorted(there ^ set(self.entries))[0]
            raise _broken(odd, _("it is listed and missing, or there and not listed"))


def _entry(said: Any) -> Entry:
    try:
        return Entry(
            str(said["path"]),
            int(said["rows"]),
            int(said["bytes"]),
            str(said["sha256"]),
            tuple(said.get("columns", ())),
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise _broken(MANIFEST, f"{type(error).__name__}: {error}") from None


def _broken(path: str, reason: str) -> BadInput:
    return BadInput(
        _("The file %(path)s of the export cannot be used: %(reason)s. Export the project again.")
        % {"path": path, "reason": reason}
    )
