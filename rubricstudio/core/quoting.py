"""Where in a text a judge's quotation stands.

Judges quote almost to the letter: white space is folded, marks and markup are left out, a gap is
written as an ellipsis. So the exact words are looked for first, then the same words in the same
order with anything but words between them. Others answer with a sentence that quotes; then what
stands in its quotation marks is looked for. What is not there is not found, which is worth telling.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from rubricstudio.core.types import Span

WORD: Final = re.compile(r"\w+")
GAP: Final = re.compile(r"\s*(?:\.\.\.|…|\[…\]|\[\.\.\.\])\s*")
QUOTED: Final = re.compile(r"“([^“”]+)”|「([^「」]+)」|«([^«»]+)»|\"([^\"]+)\"")
AROUND: Final = " \t\r\n\"'“”‘’«»「」『』`"
MOST_WORDS: Final = 300
"""Longer quotations are looked for by their first words."""
MOST_PARTS: Final = 20
SPACE: Final = re.compile(r"\s")
NEARBY: Final = 60


def find_quote(quote: str, text: str) -> tuple[Span, ...]:
    """The stretches of the text that are quoted, in the order of the quotation; empty for none.

    A quotation with gaps gives a stretch for each of its parts, those that are not found left out.
    """
    whole = _find(quote.strip(AROUND), text, 0)
    if whole is not None:
        return (whole,)
    inner = ["".join(found) for found in QUOTED.findall(quote)]
    # The text itself may hold marks, so it is not clear beforehand which reading is meant.
    return max(_parts(_split([quote]), text), _parts(_split(inner), text), key=_covered)


def _covered(spans: Iterable[Span]) -> int:
    return sum(span.end - span.start for span in spans)


def _split(quotes: Iterable[str]) -> list[str]:
    """The pieces between the gaps, without what stands around them."""
    return [part.strip(AROUND) for quote in quotes for part in GAP.split(quote.strip())]


def _parts(parts: Sequence[str], text: str) -> tuple[Span, ...]:
    spans: list[Span] = []
    for part in parts[:MOST_PARTS]:
        begin = spans[-1].end if spans else 0
        span = _find(part, text, begin) or _find(part, text, 0)
        if span is not None and span not in spans:
            spans.append(span)
    return tuple(spans)


def _find(part: str, text: str, begin: int) -> Span | None:
    if not part:
        return None
    at = text.find(part, begin)
    if at >= 0:
        return Span(at, at + len(part))
    words = WORD.findall(part)[:MOST_WORDS]
    if not words:
        return None
    pattern = r"[\W_]+".join(re.escape(word) for word in words)
    match = re.compile(rf"(?<!\w){pattern}(?!\w)", re.IGNORECASE).search(text, begin)
    return Span(match.start(), match.end()) if match else None


class Piece(NamedTuple):
    """A stretch of a text, marked or not."""

    text: str
    marked: bool


class Excerpt(NamedTuple):
    """A part of a text in pieces, and whether there is more before and after it."""

    pieces: tuple[Piece, ...]
    more_before: bool
    more_after: bool


def excerpt(
    text: str,
    spans: Iterable[tuple[int, int]],
    *,
    lead: int = 400,
    tail: int = 1_000,
    most: int = 4_000,
) -> Excerpt:
    """The marked stretches with some text around them, cut at spaces; the beginning for none.

    It has about `most` characters at most, however long the stretches are.
    """
    marked = _merged(spans, len(text))
    begin = _space(text, marked[0].start - lead) if marked else 0
    wanted = marked[-1].end if marked else lead
    end = _space(text, min(wanted + tail, begin + most), forth=True)
    pieces = tuple(piece for piece in _cut(text, marked, begin, end) if piece.text)
    return Excerpt(pieces, begin > 0, end < len(text))


def _merged(spans: Iterable[tuple[int, int]], length: int) -> list[Span]:
    """In the order of the text, those that touch as one, nothing beyond its end."""
    merged: list[Span] = []
    for start, end in sorted(spans):
        start, end = max(0, start), min(end, length)
        if merged and start <= merged[-1].end:
            merged[-1] = Span(merged[-1].start, max(end, merged[-1].end))
        elif start < end:
            merged.append(Span(start, end))
    return merged


def _space(text: str, at: int, *, forth: bool = False) -> int:
    """The next space from a place, not far away; the place itself where there is none."""
    at = min(max(at, 0), len(text))
    if at in (0, len(text)):
        return at
    if forth:
        found = SPACE.search(text, at, at + NEARBY)
        return found.start() if found else at
    before = max(
        text.rfind(" ", max(0, at - NEARBY), at), text.rfind("\n", max(0, at - NEARBY), at)
    )
    return before + 1 if before >= 0 else at


def _cut(text: str, marked: Sequence[Span], begin: int, end: int) -> Iterator[Piece]:
    at = begin
    for start, stop in marked:
        if start >= end:
            break
        yield Piece(text[at:start], False)
        yield Piece(text[start : min(stop, end)], True)
        at = min(stop, end)
    yield Piece(text[at:end], False)
