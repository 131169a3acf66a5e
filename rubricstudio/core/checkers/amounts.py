"""Constraints on how many characters, different words, numbers or emoji a response has."""

from typing import Final

import regex

from rubricstudio.core.checkers.answers import Answer, Check, Values
from rubricstudio.core.checkers.constraint_type import ConstraintType
from rubricstudio.core.checkers.counting import (
    BOUND_PARAMS,
    MARKDOWN,
    SCOPE,
    count_check,
    read_bound,
    selector,
    settle_bound,
    span_check,
)
from rubricstudio.core.checkers.params import Kind, Param
from rubricstudio.core.checkers.segmentation import DocumentView, TextView
from rubricstudio.core.types import Span

_NUMBER: Final = regex.compile(r"\d++(?:[.,:/]\d++)*+")
# One emoji is one cluster, however many characters it is put together from.
_CLUSTER: Final = regex.compile(r"\X")
_EMOJI: Final = regex.compile(
    r"\p{Emoji_Presentation}|\p{Extended_Pictographic}\uFE0F|[0-9#*]\uFE0F?\u20E3|"
    r"\p{Regional_Indicator}{2}"
)


def char_count(params: Values, options: Values) -> Check:
    """The code points of the response, with or without white space."""
    select, spaces, bound = selector(options), params["spaces"], read_bound(params)
    unit = "" if spaces else " without spaces"

    def check(view: DocumentView) -> Answer:
        number = select(view).characters(spaces=spaces)
        noun = "character" if number == 1 else "characters"
        return Answer(bound.holds(number), f"{number:,} {noun}{unit}, {bound.asked}")

    return check


def unique_word_count(params: Values, options: Values) -> Check:
    """The different words of the response, upper and lower case being the same."""
    select = selector(options)

    def count(view: DocumentView) -> int:
        return len({word.casefold() for word in select(view).words})

    return count_check("different word", params, count)


def number_count(params: Values, options: Values) -> Check:
    """The numbers written in digits; the number of a list item is none."""
    select = selector(options)
    return span_check("number", params, lambda view: find_numbers(select(view)))


def find_numbers(view: TextView) -> list[Span]:
    """Where numbers stand, "1,000", "3.14" and "9:30" being one each."""
    marks = {at for block in view.blocks for start, end in block.items for at in range(start, end)}
    return [Span(*one.span()) for one in _NUMBER.finditer(view.text) if one.start() not in marks]


def emoji_count(params: Values, _: Values) -> Check:
    """The emoji of the response."""
    return span_check("emoji sign", params, lambda view: find_emoji(view.text))


def find_emoji(text: str) -> list[Span]:
    """Where emoji stand; one that is joined from several is one."""
    if text.isascii():
        return []
    return [Span(*one.span()) for one in _CLUSTER.finditer(text) if _EMOJI.search(one[0])]


TYPES: Final = (
    ConstraintType(
        "char_count",
        "has a number of characters",
        {
            **BOUND_PARAMS,
            "spaces": Param(Kind.FLAG, "whether spaces and line breaks count", default=True),
        },
        {"scope": SCOPE, "markdown": MARKDOWN},
        char_count,
        settle_bound,
    ),
    ConstraintType(
        "unique_word_count",
        "has a number of different words",
        BOUND_PARAMS,
        {"scope": SCOPE},
        unique_word_count,
        settle_bound,
    ),
    ConstraintType(
        "number_count",
        "has a number of numbers written in digits",
        BOUND_PARAMS,
        {"scope": SCOPE},
        number_count,
        settle_bound,
    ),
    ConstraintType(
        "emoji_count", "has a number of emoji", BOUND_PARAMS, {}, emoji_count, settle_bound
    ),
)
