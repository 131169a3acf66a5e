"""A response as the published evaluators read it: character by character, nothing folded.

The one thing taken away is the thinking that the response opens with, which no checker here looks
at; the evaluators are older than it.
"""

import re
import string
from collections.abc import Iterator
from functools import cached_property
from typing import Final, NamedTuple

from rubricstudio.core.checkers.ifeval import libraries
from rubricstudio.core.checkers.segmentation import DocumentView
from rubricstudio.core.types import Span

_WORD: Final = re.compile(r"\w+")
_RUN: Final = re.compile(r"\S+")
_NO_MARKS: Final = str.maketrans("", "", string.punctuation)

EDGES: Final = string.punctuation + " "
"""What the evaluators strip from a word's ends: ASCII punctuation alone, no curly quote."""


def without_marks(text: str) -> str:
    """A text without its ASCII punctuation."""
    return text.translate(_NO_MARKS)


class Run(NamedTuple):
    """A run of characters between white space, and where it stands."""

    text: str
    span: Span


class Text:
    """A text and what several rules read in it, each computed when first asked for."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def lower(self) -> str:
        """The text in lower case."""
        return self.text.lower()

    @cached_property
    def word_count(self) -> int:
        """Words of IFEval: runs of letters, digits and underscores, so "It's" is two."""
        return sum(1 for _ in _WORD.finditer(self.text))

    @cached_property
    def runs(self) -> list[Run]:
        """What stands between white space."""
        return [Run(one.group(), Span(*one.span())) for one in _RUN.finditer(self.text)]

    @cached_property
    def plain_words(self) -> list[Run]:
        """The runs without their ASCII punctuation, those that were nothing else left out."""
        plain = ((without_marks(run.text), run.span) for run in self.runs)
        return [Run(text, span) for text, span in plain if text]

    @cached_property
    def lines(self) -> list[str]:
        """The text cut at line feeds."""
        return self.text.split("\n")

    @cached_property
    def sentence_spans(self) -> list[Span]:
        """Where the sentences stand that the English Punkt finds."""
        return libraries.sentence_spans(self.text)

    @cached_property
    def sentences(self) -> list[str]:
        """The sentences that the English Punkt finds."""
        return [self.text[start:end] for start, end in self.sentence_spans]

    @cached_property
    def tokens(self) -> list[str]:
        """Treebank tokens: "don't" is "do" and "n't", a mark stands alone."""
        return libraries.tokens(self.text, self.sentences)

    @cached_property
    def language(self) -> str | None:
        """The code of the detected language; ``None`` where nothing was detected."""
        return libraries.detect_language(self.text)


class Variant(NamedTuple):
    """A text that counts as the response under the loose reading, and what was taken away."""

    text: Text
    told: str


class Reading:
    """One response read in this dialect: the whole, and what the loose reading also takes."""

    def __init__(self, view: DocumentView) -> None:
        answer = view.raw[view.answer_start :]
        cut = answer.lstrip() if view.answer_start else answer
        self.whole = Text(cut)
        self.start = len(view.raw) - len(cut)
        self._variants: list[Variant] | None = None

    @property
    def variants(self) -> list[Variant]:
        """Up to seven other texts: without stars, first line, last line, and all together."""
        if self._variants is None:
            self._variants = list(_variants(self.whole.text))
        return self._variants


def _variants(text: str) -> Iterator[Variant]:
    lines = text.split("\n")
    without = {
        "its first line": "\n".join(lines[1:]).strip(),
        "its last line": "\n".join(lines[:-1]).strip(),
        "its first and last lines": "\n".join(lines[1:-1]).strip(),
    }
    named = {"its stars": text.replace("*", ""), **without}
    named |= {f"{name} and stars": rest.replace("*", "") for name, rest in without.items()}
    seen = {text}
    for name, variant in named.items():
        if variant.strip() and variant not in seen:
            seen.add(variant)
            yield Variant(Text(variant), name)
