"""The parts of a response that a constraint can go through: sentences, paragraphs, lines, items."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from rubricstudio.core.checkers.params import Kind, Param
from rubricstudio.core.checkers.segmentation import DocumentView, ParagraphRule, TextView
from rubricstudio.core.checkers.segmentation.blocks import split_items
from rubricstudio.core.types import Span

SENTENCE, PARAGRAPH, LINE, ITEM = UNITS = ("sentence", "paragraph", "line", "item")

UNIT: Final = Param(
    Kind.CHOICE,
    "the parts that are looked at: sentences, paragraphs, lines or list items",
    required=True,
    choices=UNITS,
)
NAMES: Final = {SENTENCE: "sentence", PARAGRAPH: "paragraph", LINE: "line", ITEM: "list item"}

_RULE: Final = ParagraphRule()
_LIST_MARK: Final = re.compile(r"[ \t]*(?:[-*+•‣◦▪●]|[0-9]{1,3}[.)])[ \t]+")


class NoSentences(Exception):
    """Nothing but code and tables, in which no sentence can be told."""


def find_parts(view: TextView, unit: str) -> list[Span]:
    """Where the parts stand; a list item without its mark. Raises :class:`NoSentences`."""
    return _FINDERS[unit](view)


def _sentences(view: TextView) -> list[Span]:
    if view.sentences is None:
        raise NoSentences
    return list(_places(view.text, view.sentences))


def _places(text: str, sentences: Sequence[str]) -> Iterator[Span]:
    """Where sentences stand, whose white space was folded; they come in order."""
    at = 0
    for sentence in sentences:
        found = text.find(sentence, at)
        span = Span(found, found + len(sentence)) if found >= 0 else _loosely(text, sentence, at)
        yield span
        at = span.end


def _loosely(text: str, sentence: str, at: int) -> Span:
    # Between two words of a block quote stands its mark as well.
    found = re.compile(r"[\s>]+".join(map(re.escape, sentence.split()))).search(text, at)
    return Span(*found.span()) if found else Span(at, at)


def _paragraphs(view: TextView) -> list[Span]:
    return view.paragraphs(_RULE)


def _lines(view: TextView) -> list[Span]:
    spans, at = [], 0
    for line in view.lines:
        if line.strip():
            spans.append(Span(at, at + len(line)))
        at += len(line) + 1
    return spans


def _items(view: TextView) -> list[Span]:
    found = [
        span
        for block in view.blocks
        if block.items
        for span in split_items(view.text, block)
        if _LIST_MARK.match(view.text, span.start)
    ]
    return [_without_mark(view.text, span) for span in found]


def _without_mark(text: str, span: Span) -> Span:
    mark = _LIST_MARK.match(text, span.start)
    return Span(mark.end() if mark else span.start, span.end)


_FINDERS: Final = {
    SENTENCE: _sentences,
    PARAGRAPH: _paragraphs,
    LINE: _lines,
    ITEM: _items,
}


def cut_off(view: DocumentView, span: Span) -> bool:
    """Whether a part is the one in which the response was cut off."""
    return view.truncated and span.end == len(view.text)
