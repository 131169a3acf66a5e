"""Which encoding a file is in: known for certain and reported, or refused by name.

UTF-8 proves itself, and so do UTF-16 and UTF-32 by their mark. UTF-16 without one shows zero bytes
on one side of every ASCII character. A file that is UTF-8 but for a few rows is UTF-8: those rows
are rejected one by one. Everything else has to look right as text (legacy.py) or be named.
"""

from __future__ import annotations

import codecs
import io
from collections.abc import Iterable, Iterator
from typing import TextIO

from django.utils.translation import gettext as _

from apps.activity.errors import BadInput
from apps.prompts.reading.legacy import LegacyGuess, guess_legacy
from apps.prompts.reading.source import Source

# The longer mark first: UTF-32 LE begins with the mark of UTF-16 LE.
MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
TOLERANT = {"utf-8", "utf-8-sig"}
SAMPLE_BYTES = 256 * 1024
# Of the bytes on one side; even a Chinese text has this many ASCII quotes, brackets and spaces.
# On the other side they are few: 一 and 가 have one there.
ZEROS_OF_UTF16 = 0.02


def find_encoding(source: Source, *, named: str = "") -> str:
    """The codec's name. `named` is what a person says it is. Raises BadInput."""
    head = next(source.chunks(), b"")
    marked = next((name for mark, name in MARKS if head.startswith(mark)), None)
    utf8 = "utf-8-sig" if marked == "utf-8-sig" else "utf-8"
    if named:
        codec = _codec(named)
        return _check_named(source, utf8 if codec == "utf-8" else codec)
    name = marked or _utf16_without_mark(head[:SAMPLE_BYTES])
    if name and name != utf8 and _decodes(source.chunks(), name):
        return name
    if _decodes(source.chunks(), "utf-8") or marked == utf8 or _mostly_utf8(source):
        return utf8
    return _legacy(source)


def open_text(source: Source, encoding: str, *, newline: str) -> TextIO:
    """The text of a file; bytes that are not UTF-8 come as half surrogate pairs."""
    errors = "surrogateescape" if encoding in TOLERANT else "strict"
    return io.TextIOWrapper(source.open(), encoding=encoding, errors=errors, newline=newline)


def _codec(named: str) -> str:
    """The name of a codec for text under its many names."""
    try:
        name = codecs.lookup(named).name
        "".encode(name)
        codecs.getincrementaldecoder(name)
    except (LookupError, UnicodeError, ValueError):
        raise BadInput(
            _("There is no encoding %(name)r: use utf-8, utf-16, cp1252, cp949, gb18030 …")
            % {"name": named[:40]}
        ) from None
    return "utf-8" if name in TOLERANT else name


def _check_named(source: Source, name: str) -> str:
    if not _decodes(source.chunks(), name) and name not in TOLERANT:
        raise BadInput(
            _("%(file)s holds bytes that are not %(name)s: name another encoding, or leave it out.")
            % {"file": source.name, "name": name}
        )
    return name


def _decodes(chunks: Iterable[bytes], encoding: str) -> bool:
    decoder = codecs.getincrementaldecoder(encoding)("strict")
    try:
        for chunk in chunks:
            decoder.decode(chunk)
        decoder.decode(b"", final=True)
    except UnicodeError:
        return False
    return True


def _utf16_without_mark(head: bytes) -> str | None:
    half = max(len(head) // 2, 1)
    even, odd = head[0::2].count(0) / half, head[1::2].count(0) / half
    if max(even, odd) < ZEROS_OF_UTF16 or max(even, odd) < 4 * min(even, odd):
        return None
    return "utf-16-le" if odd > even else "utf-16-be"


def _mostly_utf8(source: Source) -> bool:
    """Whether lines that prove UTF-8 are at least as many as those that are broken."""
    proofs = broken = 0
    for line in _foreign_lines(source):
        if _decodes([line], "utf-8"):
            proofs += 1
        else:
            broken += 1
    return proofs >= broken


def _legacy(source: Source) -> str:
    guess = guess_legacy(_sample(source))
    if guess.certain and _decodes(source.chunks(), guess.encoding):
        return guess.encoding
    raise BadInput(_refusal(source.name, guess))


def _refusal(name: str, guess: LegacyGuess) -> str:
    if not guess.encoding:
        return _("%(file)s is not UTF-8 and its encoding is not clear: save it as UTF-8.") % {
            "file": name
        }
    return _(
        "%(file)s is not UTF-8; it may be %(encoding)s, which is not certain: save it as UTF-8, or "
        "say that its encoding is %(encoding)s."
    ) % {"file": name, "encoding": guess.encoding}


def _sample(source: Source) -> bytes:
    sample = bytearray()
    for line in _foreign_lines(source):
        sample += line
        if len(sample) >= SAMPLE_BYTES:
            break
    return bytes(sample)


def _foreign_lines(source: Source) -> Iterator[bytes]:
    """The lines that hold more than ASCII, each up to SAMPLE_BYTES long."""
    with source.open() as stream:
        while line := stream.readline(SAMPLE_BYTES):
            if not line.isascii():
                yield line
