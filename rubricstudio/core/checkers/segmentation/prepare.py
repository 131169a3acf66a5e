"""What is done to a response once, before anything is counted or searched in it.

The reasoning block in front is cut, CRLF and CR become LF, the text becomes NFC, and blank lines
at both ends go. The raw response stays, and a position can be traced back into it.
"""

import re
import unicodedata
from itertools import accumulate
from typing import Final, NamedTuple

import regex

_BLANK_HEAD: Final = re.compile(r"(?:[^\S\n]*\n)+")
_UNGUARDED: Final = 5_000
_MANY_MARKS: Final = regex.compile(r"\p{M}{31}")
_FEW_MARKS: Final = regex.compile(r"[^\p{M}]*+\p{M}{0,30}+")
_CLUSTER: Final = regex.compile(r"\X")


def normalise(text: str) -> str:
    """LF line ends and NFC, which every text and every phrase goes through."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    # Ordering the marks on one letter takes the square of their number.
    if len(text) > _UNGUARDED and not _is_western(text) and _MANY_MARKS.search(text):
        return "".join(unicodedata.normalize("NFC", part) for part in _FEW_MARKS.findall(text))
    return unicodedata.normalize("NFC", text)


def _is_western(text: str) -> bool:
    """Whether a text has only characters of Western European writing, no mark among them."""
    if text.isascii():
        return True
    try:
        text.encode("cp1252")
    except UnicodeEncodeError:
        return False
    return True


class Outer(NamedTuple):
    """A text without its outer blank lines, and how many characters were taken in front."""

    text: str
    skipped: int


def strip_outer_blank_lines(text: str) -> Outer:
    """Drop blank lines at both ends; indentation of the first real line stays."""
    kept = text.rstrip()
    blank = _BLANK_HEAD.match(kept) if kept[:1].isspace() else None
    return Outer(kept[blank.end() :], blank.end()) if blank else Outer(kept, 0)


def origins(answer: str) -> list[int]:
    """For each character of the normalised answer, and its end, where it began before.

    Normalising never joins characters of two grapheme clusters, so each is done on its own. A
    character that normalising made out of several stands for all of them.
    """
    clusters: list[str] = _CLUSTER.findall(answer)
    starts = accumulate(map(len, clusters), initial=0)
    places = [
        start
        for start, cluster in zip(starts, clusters, strict=False)
        for _ in range(len(normalise(cluster)))
    ]
    return [*places, len(answer)]
