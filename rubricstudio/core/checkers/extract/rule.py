"""A rule of the extractor: a pattern, and what constraint a match of it asks for."""

from collections.abc import Callable
from typing import Any, Final, NamedTuple

import regex

from rubricstudio.core.types import Json, Span

Asked = tuple[str, dict[str, Json]]
"""A constraint type and its parameters."""

Make = Callable[["regex.Match[str]", str], Asked | None]
"""What a match in a prompt asks for; None where the rule is not sure."""

_SENTENCE_END: Final = regex.compile(r"[.!?](?:\s|$)|\n|[。！？]")


class Rule(NamedTuple):
    """A pattern and what it asks for. ``whole`` drops what is said of parts of the response."""

    pattern: Any
    make: Make
    whole: bool = False


def sentence_around(text: str, span: Span) -> tuple[str, str]:
    """The sentence's words in front of a stretch, and those behind it."""
    start = 0
    for end in _SENTENCE_END.finditer(text, 0, span.start):
        start = end.end()
    behind = _SENTENCE_END.search(text, span.end)
    return text[start : span.start], text[span.end : behind.start() if behind else len(text)]
