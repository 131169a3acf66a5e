"""The document view: one response, prepared once, segmented once, read by many checkers.

Everything is computed when a checker first asks for it and kept for the next one.
"""

import re
from collections.abc import Callable, Iterable
from enum import StrEnum
from typing import Any, Final, NamedTuple, TypeVar

from rubricstudio.core.checkers.segmentation import markdown
from rubricstudio.core.checkers.segmentation.blocks import (
    Block,
    BlockKind,
    join_lists,
    read_runs,
    split_items,
)
from rubricstudio.core.checkers.segmentation.dividers import split_at
from rubricstudio.core.checkers.segmentation.folding import Folding, fold
from rubricstudio.core.checkers.segmentation.lazy import lazy
from rubricstudio.core.checkers.segmentation.prepare import (
    normalise,
    origins,
    strip_outer_blank_lines,
)
from rubricstudio.core.checkers.segmentation.sentences import find_sentences
from rubricstudio.core.checkers.segmentation.words import count_words, find_word_spans, find_words
from rubricstudio.core.parsing.thinking import find_answer
from rubricstudio.core.types import Span

SEGMENTATION: Final = "studio/1"
REVISION: Final = 1
"""Raised with every change that could change a count (one in `core.parsing.thinking` too); written
into every bundle."""


_LINE: Final = re.compile(r"\n[^\S\n]*+\S")

Made = TypeVar("Made")


class Part(StrEnum):
    """Which part of a response is looked at: all, all but code, or not even addresses."""

    WHOLE = "whole"
    OUTSIDE_CODE = "outside_code"
    PROSE = "prose"


class ParagraphRule(NamedTuple):
    """What counts as a paragraph.

    A ``divider`` named by the prompt is the only one that counts. Otherwise blocks count, without
    headings unless asked, a list as one unless its items are asked for.
    """

    divider: str = ""
    headings: bool = False
    list_items: bool = False


class TextView:
    """A text seen as words, lines, paragraphs and sentences, and as what is searched."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._paragraphs: dict[ParagraphRule, list[Span]] = {}
        self._folded: dict[Folding, str] = {}

    @lazy
    def word_count(self) -> int:
        """How many words there are, each Han character or kana being one."""
        return count_words(self.text)

    @lazy
    def run_count(self) -> int:
        """How many words there are, a run of Han characters or kana being one."""
        return count_words(self.text, cjk_characters=False)

    @lazy
    def words(self) -> list[str]:
        """The words, in order."""
        return find_words(self.text)

    @lazy
    def word_spans(self) -> list[Span]:
        """Where the words stand, in order."""
        return find_word_spans(self.text)

    @lazy
    def lines(self) -> list[str]:
        """All lines, blank ones too; an empty text has none."""
        return self.text.split("\n") if self.text else []

    @lazy
    def line_count(self) -> int:
        """How many lines are not blank."""
        return len(_LINE.findall("\n" + self.text))

    @lazy
    def runs(self) -> list[Block]:
        """Lines that stand together."""
        return read_runs(self.text)

    @lazy
    def blocks(self) -> list[Block]:
        """Paragraphs, lists, headings and code."""
        return join_lists(self.text, self.runs)

    @lazy
    def sentences(self) -> list[str] | None:
        """The sentences; ``None`` when there is nothing but code and tables."""
        return find_sentences(self.text, self.runs)

    @lazy
    def rendered(self) -> "TextView":
        """The same text as a reader of rendered Markdown sees it."""
        return TextView(markdown.rendered(self.text))

    def characters(self, *, spaces: bool = True) -> int:
        """How many code points there are, with or without white space."""
        return len(self.text) if spaces else len("".join(self.text.split()))

    def paragraphs(self, rule: ParagraphRule) -> list[Span]:
        """Where the paragraphs stand."""
        found = self._paragraphs.get(rule)
        if found is None:
            found = self._paragraphs[rule] = self._find_paragraphs(rule)
        return found

    def paragraph_count(self, rule: ParagraphRule) -> int:
        """How many paragraphs there are; where they stand is told only where it has to be."""
        if rule.divider or rule.list_items:
            return len(self.paragraphs(rule))
        return len(self._kept_blocks(rule))

    def _kept_blocks(self, rule: ParagraphRule) -> list[Block]:
        if rule.headings:
            return self.blocks
        return [block for block in self.blocks if block.kind is not BlockKind.HEADING]

    def _find_paragraphs(self, rule: ParagraphRule) -> list[Span]:
        if rule.divider:
            return split_at(self.text, rule.divider)
        kept = self._kept_blocks(rule)
        if rule.list_items:
            return [span for block in kept for span in split_items(self.text, block)]
        return [block.span for block in kept]

    def folded(self, folding: Folding) -> str:
        """The text for searching: every character in its place, what is folded made equal."""
        found = self._folded.get(folding)
        if found is None:
            found = self._folded[folding] = fold(self.text, folding)
        return found


class DocumentView:
    """One response: its raw text, and the views of its parts.

    ``truncated`` says that the response was cut off at its length limit, so that its end is not
    the end its writer meant.
    """

    def __init__(self, response: str, *, truncated: bool = False) -> None:
        self.raw = response
        answer = find_answer(response)
        self._start = answer.start
        self._answer = response[answer.start :]
        self._normal = normalise(self._answer)
        outer = strip_outer_blank_lines(self._normal)
        self._skipped = outer.skipped
        self.truncated = truncated or answer.unfinished
        self.whole = TextView(outer.text)
        self._parts = {Part.WHOLE: self.whole}
        self._shared: dict[Callable[[DocumentView], Any], Any] = {}

    @property
    def answer_start(self) -> int:
        """Where the answer begins in ``raw``, behind the thinking that a response opens with."""
        return self._start

    def shared(self, make: Callable[["DocumentView"], Made]) -> Made:
        """What ``make`` reads in this response, made when first asked for and kept."""
        found = self._shared.get(make)
        if found is None:
            found = self._shared[make] = make(self)
        made: Made = found
        return made

    @property
    def text(self) -> str:
        """The response as it is counted: without reasoning and outer blank lines, LF, NFC."""
        return self.whole.text

    @property
    def empty(self) -> bool:
        """Whether the response has nothing in it but white space."""
        return not self.whole.text

    def part(self, part: Part) -> TextView:
        """The view of a part; every character of it stands where it stands in ``text``."""
        if part not in self._parts:
            self._parts[part] = TextView(_BLANKING[part](self.text))
        return self._parts[part]

    def raw_spans(self, spans: Iterable[Span]) -> tuple[Span, ...]:
        """Spans of ``text`` as spans of the raw response."""
        if self._normal == self._answer:
            shift = self._start + self._skipped
            return tuple(Span(start + shift, end + shift) for start, end in spans)
        return tuple(Span(self._place(start), self._place(end)) for start, end in spans)

    def _place(self, at: int) -> int:
        return self._start + self._origins[self._skipped + at]

    @lazy
    def _origins(self) -> list[int]:
        return origins(self._answer)


_BLANKING: Final = {Part.OUTSIDE_CODE: markdown.outside_code, Part.PROSE: markdown.prose}
