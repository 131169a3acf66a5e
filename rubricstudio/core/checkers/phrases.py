"""Finding a phrase in a text, as a reader would say that it is there.

Three ways to match. ``word``: the phrase stands on its own ("art" is not in "start" and "can" not
in "can't", but "Tom" is in "Tom's"). ``substring``: anywhere. Both fold case and curly quotes
unless asked not to, and any white space equals any other, so a line wrap does not matter.
``exact``: character by character.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property, lru_cache
from typing import Final

import regex

from rubricstudio.core.checkers.answers import shown
from rubricstudio.core.checkers.segmentation import EVERYTHING, Folding, TextView, fold, normalise
from rubricstudio.core.types import Span

# Scripts that write words without spaces or with particles attached: an edge there is free.
_BOUND: Final = regex.compile(
    r"[[\p{L}\p{M}\p{N}]--[\p{Han}\p{Hiragana}\p{Katakana}\u30fc\uff70\p{Hangul}"
    r"\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]]",
    regex.V1,
)
_APOSTROPHES: Final = "'’"
_ENDINGS: Final = frozenset({"s", "t", "re", "ve", "ll", "d", "m"})
FINAL_PUNCTUATION: Final = " \n.!?…。！？\"'”’»)]*_~`"


class Match(StrEnum):
    """How a phrase is looked for."""

    WORD = "word"
    SUBSTRING = "substring"
    EXACT = "exact"


@lru_cache(maxsize=4096)
def _binds(character: str) -> bool:
    """Whether a letter or digit next to this character would belong to the same word."""
    return _BOUND.match(character) is not None


@dataclass(frozen=True)
class Phrase:
    """A phrase with the way to look for it, ready to search many texts."""

    text: str
    match: Match = Match.WORD
    folding: Folding = EVERYTHING

    @cached_property
    def named(self) -> str:
        """The phrase as reasons name it."""
        return shown(self.text)

    @cached_property
    def needle(self) -> str:
        """The phrase as it is compared: as it stands when exact, folded otherwise."""
        text = normalise(self.text)
        if self.match is Match.EXACT:
            return text
        return " ".join(fold(text, self.folding).split())

    @cached_property
    def words(self) -> list[str]:
        """The parts of the needle between white space; an exact one has only itself."""
        return [self.needle] if self.match is Match.EXACT else self.needle.split(" ")

    def _equals(self, text: str, part: str) -> bool:
        """Whether a few characters are a part of the needle; cheaper than folding a whole text."""
        if self.match is not Match.EXACT:
            text = fold(text, self.folding)
        return text == part

    def haystack(self, view: TextView) -> str:
        """The text in which to look, every character in its place."""
        if self.match is Match.EXACT:
            return view.text
        return view.folded(self.folding)

    def find(self, view: TextView, within: Span | None = None) -> list[Span]:
        """Where the phrase occurs in a view, or in a part of it; occurrences never overlap."""
        text = self.haystack(view)
        start, end = within or (0, len(text))
        wraps = self._wraps(text)
        if not wraps and text.find(self.needle, start, end) < 0:
            return []
        found: list[Span] = []
        for span in self._wrapped(text, start, end) if wraps else self._plain(text, start, end):
            if span.start >= start and self._stands_alone(text, span):
                found.append(span)
                start = span.end
        return found

    def at_start(self, view: TextView, within: Span | None = None) -> Span | None:
        """Where the phrase stands at the start, white space in front apart."""
        start, end = trim(view.text, within)
        first = self.words[0]
        if not self._equals(view.text[start : start + len(first)], first):
            return None
        text = self.haystack(view)
        if text.startswith(self.needle, start, end):
            return self._alone(text, Span(start, start + len(self.needle)))
        loose = self._loose.match(text, start, end) if self._wraps(text) else None
        return self._alone(text, Span(start, loose.end())) if loose else None

    def at_end(
        self, view: TextView, within: Span | None = None, *, punctuation: bool = True
    ) -> Span | None:
        """Where the phrase stands at the end; ``punctuation=False`` overlooks marks after it."""
        start, end = trim(view.text, within)
        if not punctuation:
            end = start + len(view.text[start:end].rstrip(FINAL_PUNCTUATION))
        last = self.words[-1]
        if not self._equals(view.text[max(end - len(last), 0) : end], last):
            return None
        text = self.haystack(view)
        if text.endswith(self.needle, start, end):
            return self._alone(text, Span(end - len(self.needle), end))
        loose = self._loose_end.search(text, start, end) if self._wraps(text) else None
        return self._alone(text, Span(loose.start(), end)) if loose else None

    def _plain(self, text: str, start: int, end: int) -> Iterator[Span]:
        length = len(self.needle)
        while (start := text.find(self.needle, start, end)) >= 0:
            yield Span(start, start + length)
            start += 1

    def _wrapped(self, text: str, start: int, end: int) -> Iterator[Span]:
        while found := self._loose.search(text, start, end):
            yield Span(found.start(), found.end())
            start = found.start() + 1

    def _wraps(self, text: str) -> bool:
        """Whether white space in the phrase may stand against more of it in the text."""
        return " " in self.needle and self.match is not Match.EXACT and "  " in text

    @cached_property
    def _loose(self) -> re.Pattern[str]:
        return re.compile(" +".join(map(re.escape, self.needle.split(" "))))

    @cached_property
    def _loose_end(self) -> re.Pattern[str]:
        return re.compile(rf"(?:{self._loose.pattern})\Z")

    @cached_property
    def _edges(self) -> tuple[bool, bool]:
        """Whether the phrase begins, and ends, with something that could go on into a word."""
        free = self.match is not Match.WORD
        return not free and _binds(self.needle[0]), not free and _binds(self.needle[-1])

    @cached_property
    def _is_ending(self) -> bool:
        first = re.match(r"\w*", self.needle)
        return first is not None and first[0].lower() in _ENDINGS

    def _alone(self, text: str, span: Span) -> Span | None:
        return span if self._stands_alone(text, span) else None

    def _stands_alone(self, text: str, span: Span) -> bool:
        before, after = self._edges
        return not (before and self._goes_on_before(text, span.start)) and not (
            after and _goes_on_after(text, span.end)
        )

    def _goes_on_before(self, text: str, start: int) -> bool:
        if start == 0:
            return False
        mark = text[start - 1]
        if _binds(mark):
            return True
        if start == 1 or not _binds(text[start - 2]):
            return False
        if mark in _APOSTROPHES:
            return self._is_ending
        return mark == "_" or (mark in ".," and _is_number(text[start - 2], text[start]))


def _goes_on_after(text: str, end: int) -> bool:
    mark, following = text[end : end + 1], text[end + 1 : end + 2]
    if not mark or _binds(mark):
        return bool(mark)
    if not following or not _binds(following):
        return False
    if mark in _APOSTROPHES:
        # A possessive still shows the word.
        possessive = following in "sS" and not _binds(text[end + 2 : end + 3] or " ")
        return not possessive
    return mark == "_" or (mark in ".," and _is_number(text[end - 1], following))


def _is_number(before: str, after: str) -> bool:
    return before.isdigit() and after.isdigit()


def trim(text: str, within: Span | None) -> Span:
    """A part of a text without white space at its ends."""
    start, end = within or Span(0, len(text))
    body = text[start:end]
    start += len(body) - len(body.lstrip())
    return Span(start, max(start, end - len(body) + len(body.rstrip())))
