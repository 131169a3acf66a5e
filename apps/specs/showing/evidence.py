"""Texts with marked stretches, each with the numbers of the constraints that it belongs to.

In a prompt they are the words that constraints were read from, in a response what checkers found.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from apps.specs.showing.words import ShownConstraint
from rubricstudio.core.checkers.claims import probable_quote
from rubricstudio.core.quoting import find_quote

SHOWN_CHARACTERS = 8_000
CHOSEN, PROBABLE = "chosen", "probable"
SHOWN_RESPONSE = 20_000
LEAD = 400
"""Characters before the first mark of a long response."""

# Control characters as the signs that stand for them; a text keeps its length.
_VISIBLE = {one: 0x2400 + one for one in range(0x20) if chr(one) not in "\t\n"} | {0x7F: 0x2421}


class Stretch(NamedTuple):
    """A piece of text, whether it is marked, and the numbers of the marks that end with it.

    `kind` is the first in the alphabet of those of its marks: a failed check before a passed one.
    """

    text: str
    marked: bool = False
    numbers: tuple[int, ...] = ()
    kind: str = ""


class Mark(NamedTuple):
    """Where a constraint was read from, or what its checker found."""

    start: int
    end: int
    number: int
    kind: str = ""


class MarkedPrompt(NamedTuple):
    """The last user turn in pieces; `hidden` characters are left out at its end."""

    stretches: list[Stretch]
    hidden: int

    @property
    def has_probable(self) -> bool:
        return any(PROBABLE in one.kind for one in self.stretches)


class MarkedResponse(NamedTuple):
    """A response in pieces; `before` and `after` characters around them are left out."""

    stretches: list[Stretch]
    before: int
    after: int


def marked_prompt(
    messages: Sequence[dict[str, Any]],
    constraints: Sequence[ShownConstraint],
    *,
    chosen: int = 0,
    probable: bool = False,
) -> MarkedPrompt:
    """The last user turn, which is what a checker takes for the prompt.

    The words of the chosen constraint are of the kind CHOSEN. With `probable` a constraint that
    quotes none has the words that probably ask for it, of the kind PROBABLE.
    """
    text = asked_text(messages)
    shown = text[:SHOWN_CHARACTERS]
    marks = []
    for one in constraints:
        quote, kind = one.quoted, ""
        if not quote and probable:
            quote, kind = probable_quote(one.row.as_value(), shown), PROBABLE
        if one.number == chosen:
            kind = f"{CHOSEN} {kind}".strip()
        spans = find_quote(quote, shown) if quote else ()
        marks += [Mark(span.start, min(span.end, len(shown)), one.number, kind) for span in spans]
    return MarkedPrompt(stretches(shown, marks), len(text) - len(shown))


def asked_text(messages: Sequence[dict[str, Any]]) -> str:
    """The last user turn; empty where nobody asks."""
    asked = [str(one.get("content", "")) for one in messages if one.get("role") == "user"]
    return asked[-1] if asked else ""


def marked_response(text: str, marks: Sequence[Mark]) -> MarkedResponse:
    """A response with what checkers found; of a long one the part from the first mark on."""
    begin = 0
    if len(text) > SHOWN_RESPONSE and marks:
        begin = max(0, min(one.start for one in marks) - LEAD)
    shown = text[begin : begin + SHOWN_RESPONSE]
    end = begin + len(shown)
    inside = [
        one._replace(start=max(one.start, begin) - begin, end=min(one.end, end) - begin)
        for one in marks
        if one.start < end and one.end > begin
    ]
    return MarkedResponse(stretches(shown.translate(_VISIBLE), inside), begin, len(text) - end)


def stretches(text: str, marks: Sequence[Mark]) -> list[Stretch]:
    """The text cut wherever a mark begins or ends; marks may overlap."""
    edges = sorted({0, len(text), *(one.start for one in marks), *(one.end for one in marks)})
    return [_stretch(text, start, end, marks) for start, end in pairwise(edges)]


def _stretch(text: str, start: int, end: int, marks: Sequence[Mark]) -> Stretch:
    over = [one for one in marks if one.start <= start < one.end]
    return Stretch(
        text[start:end],
        bool(over),
        tuple(one.number for one in marks if one.end == end),
        min((one.kind for one in over if one.kind), default=""),
    )
