"""What changed between two texts, word by word.

A piece is a word, a run of white space, one other character, or, in scripts that write words
without spaces, one character. Lines that stayed are found first and words only within what lies
between them, so that long texts stay cheap; a stretch with more than LARGEST_STRETCH pieces on
both sides together is told as wholly replaced.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from enum import Enum
from typing import NamedTuple

import regex

LARGEST_STRETCH = 4_000
# Equal pieces of both sides are compared pair by pair. Beyond this many pairs the most frequent
# pieces (empty lines, spaces) begin no match any more, though a match still runs over them.
MOST_PAIRS = 50_000
# Han, kana, Thai, Lao, Khmer and Burmese have no spaces between words; Hangul has.
UNSPACED = r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]"
LETTER = rf"[[\p{{L}}\p{{M}}\p{{N}}]--{UNSPACED}]"
PIECE = regex.compile(rf"{UNSPACED}\p{{M}}*|{LETTER}+(?:['’]{LETTER}+)*|\s+|\X", regex.VERSION1)


class Change(Enum):
    """Whether a piece stands in both texts, only in the first, or only in the second."""

    SAME = "same"
    REMOVED = "removed"
    ADDED = "added"


class Difference(NamedTuple):
    """A stretch of text and what became of it."""

    change: Change
    text: str


def word_differences(before: str, after: str) -> list[Difference]:
    """The stretches in reading order, neighbours of one kind joined.

    SAME and REMOVED together are `before`, SAME and ADDED are `after`, to the character.
    """
    lines = _between(before.splitlines(keepends=True), after.splitlines(keepends=True))
    return list(_joined(piece for some in lines for piece in _refined(*some)))


def _between(
    before: Sequence[str], after: Sequence[str]
) -> Iterator[tuple[Change | None, str, str]]:
    """Stretches that stayed (SAME), and stretches that were replaced (None) with both texts."""
    there = Counter(after)
    many = sum(there[piece] for piece in before) > MOST_PAIRS
    matcher = SequenceMatcher(None, before, after, autojunk=many)
    for tag, start, end, other_start, other_end in matcher.get_opcodes():
        old, new = "".join(before[start:end]), "".join(after[other_start:other_end])
        yield (Change.SAME if tag == "equal" else None), old, new


def _refined(change: Change | None, old: str, new: str) -> Iterator[Difference]:
    if change is Change.SAME:
        yield Difference(Change.SAME, old)
        return
    before, after = PIECE.findall(old), PIECE.findall(new)
    if len(before) + len(after) > LARGEST_STRETCH:
        yield from _replaced(old, new)
        return
    for inner, gone, come in _between(before, after):
        if inner is Change.SAME:
            yield Difference(Change.SAME, gone)
        else:
            yield from _replaced(gone, come)


def _replaced(old: str, new: str) -> Iterator[Difference]:
    if old:
        yield Difference(Change.REMOVED, old)
    if new:
        yield Difference(Change.ADDED, new)


def _joined(pieces: Iterator[Difference]) -> Iterator[Difference]:
    """Stretches of one kind that follow each other become one."""
    last: Difference | None = None
    for piece in pieces:
        if last and last.change is piece.change:
            last = Difference(last.change, last.text + piece.text)
            continue
        if last:
            yield last
        last = piece
    if last:
        yield last
