"""Splitting a text at a divider that the prompt named."""

import re
from collections.abc import Iterator
from functools import lru_cache

from rubricstudio.core.types import Span


def split_at(text: str, divider: str) -> list[Span]:
    """The pieces between dividers, without those that are only white space.

    A divider of visible characters stands alone, with white space or an end of the text on both
    sides. One of line breaks is that many of them or more; lines of white space count as blank.
    """
    pieces = _pieces(text, _pattern(divider))
    return [span for span in pieces if not text[span.start : span.end].isspace()]


def _pieces(text: str, pattern: re.Pattern[str]) -> Iterator[Span]:
    start = 0
    for match in pattern.finditer(text):
        if match.start() > start:
            yield Span(start, match.start())
        start = match.end()
    if start < len(text):
        yield Span(start, len(text))


@lru_cache(maxsize=256)
def _pattern(divider: str) -> re.Pattern[str]:
    visible = divider.strip()
    if visible:
        return re.compile(rf"(?<!\S){re.escape(visible)}(?!\S)")
    breaks = max(divider.count("\n"), 1)
    return re.compile(rf"\n(?:[^\S\n]*\n){{{breaks - 1},}}")
