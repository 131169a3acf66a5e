"""The prompt with the stretches that constraints were read from, each with their numbers."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from apps.specs.showing.words import ShownConstraint
from rubricstudio.core.quoting import find_quote

SHOWN_CHARACTERS = 8_000


class Stretch(NamedTuple):
    """A piece of text, whether it is marked, and the numbers of the marks that end with it."""

    text: str
    marked: bool = False
    numbers: tuple[int, ...] = ()


class Mark(NamedTuple):
    """Where a constraint was read from."""

    start: int
    end: int
    number: int


class MarkedPrompt(NamedTuple):
    """The last user turn in pieces; `hidden` characters are left out at its end."""

    stretches: list[Stretch]
    hidden: int


def marked_prompt(
    messages: Sequence[dict[str, Any]], constraints: Sequence[ShownConstraint]
) -> MarkedPrompt:
    """The last user turn, which is what a checker takes for the prompt."""
    asked = [str(one.get("content", "")) for one in messages if one.get("role") == "user"]
    text = asked[-1] if asked else ""
    shown = text[:SHOWN_CHARACTERS]
    marks = [
        Mark(span.start, min(span.end, len(shown)), one.number)
        for one in constraints
        if one.quoted
        for span in find_quote(one.quoted, shown)
    ]
    return MarkedPrompt(stretches(shown, marks), len(text) - len(shown))


def stretches(text: str, marks: Sequence[Mark]) -> list[Stretch]:
    """The text cut wherever a mark begins or ends; marks may overlap."""
    edges = sorted({0, len(text), *(one.start for one in marks), *(one.end for one in marks)})
    return [
        Stretch(
            text[start:end],
            any(one.start <= start < one.end for one in marks),
            tuple(one.number for one in marks if one.end == end),
        )
        for start, end in pairwise(edges)
    ]
