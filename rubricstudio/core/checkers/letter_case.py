"""Constraints on upper and lower case."""

import re
from collections.abc import Callable, Iterator
from typing import Final

import regex

from rubricstudio.core.checkers.answers import Answer, Check, Values, counted, shown
from rubricstudio.core.checkers.constraint_type import ConstraintType
from rubricstudio.core.checkers.counting import (
    BOUND_PARAMS,
    MOST_SPANS,
    SCOPE,
    selector,
    settle_bound,
    span_check,
)
from rubricstudio.core.checkers.params import Kind, Param
from rubricstudio.core.checkers.segmentation import DocumentView, TextView
from rubricstudio.core.types import Span

_CASED: Final = regex.compile(r"[\p{Lu}\p{Lt}\p{Ll}]")
_LETTERS: Final = regex.compile(r"\p{L}[\p{L}\p{M}'’]*+")
_BREAK: Final = regex.compile(r"[\n.:!?—]")
_SMALL_IN_TITLES: Final = re.compile(
    "an?|and|as|at|but|by|for|from|in|into|nor|of|off|on|onto|or|over|per|so|the|to|up|via|vs|"
    "with|yet"
)


def letter_case(params: Values, options: Values) -> Check:
    """All letters are in the case asked for; no answer where no letter has a case."""
    form, select = params["form"], selector(options)
    find, name = _OFFENDERS[form], _NAMES[form]

    def check(view: DocumentView) -> Answer:
        text = select(view)
        if not _CASED.search(text.text):
            return Answer(None, "no letter in it has an upper or a lower case")
        wrong = list(find(text.text))
        if not wrong:
            return Answer(True, f"everything is in {name}")
        first = shown(text.text[wrong[0].start : wrong[0].end])
        told = f"{counted(len(wrong), 'word')} not in {name}, the first is {first}"
        return Answer(False, told, tuple(wrong[:MOST_SPANS]))

    return check


def _not_lower(text: str) -> Iterator[Span]:
    return (Span(*one.span()) for one in _LETTERS.finditer(text) if one[0] != one[0].lower())


def _not_upper(text: str) -> Iterator[Span]:
    return (Span(*one.span()) for one in _LETTERS.finditer(text) if _has_small(one[0]))


def _has_small(word: str) -> bool:
    # Some small letters, such as the ordinal signs, have no capital.
    return any(letter.islower() and letter != letter.upper() for letter in word)


def _not_title(text: str) -> Iterator[Span]:
    """Words that begin small, apart from the short ones inside a title."""
    behind = 0
    for one in _LETTERS.finditer(text):
        first = behind == 0 or _BREAK.search(text, behind, one.start()) is not None
        follows_digit = one.start() > 0 and text[one.start() - 1].isdigit()
        behind = one.end()
        may_be_small = follows_digit or (not first and _SMALL_IN_TITLES.fullmatch(one[0]))
        if _has_small(one[0][0]) and not may_be_small:
            yield Span(*one.span())


_OFFENDERS: Final[dict[str, Callable[[str], Iterator[Span]]]] = {
    "lower": _not_lower,
    "upper": _not_upper,
    "title": _not_title,
}
_NAMES: Final = {"lower": "lower case", "upper": "upper case", "title": "title case"}


def capital_word_count(params: Values, options: Values) -> Check:
    """The words of two or more letters that are written in capitals only."""
    select = selector(options)
    return span_check("word in capitals", params, lambda view: find_capitals(select(view)))


def find_capitals(view: TextView) -> list[Span]:
    """Where words in capitals stand, such as "NASA" and "COVID-19", but not "I"."""
    return [span for span in view.word_spans if _in_capitals(view.text[span.start : span.end])]


def _in_capitals(word: str) -> bool:
    return word.isupper() and sum(map(str.isalpha, word)) > 1


TYPES: Final = (
    ConstraintType(
        "letter_case",
        "is written in one case throughout",
        {
            "form": Param(
                Kind.CHOICE,
                "lower: no capital; upper: capitals only; title: each word begins with a capital, "
                "short ones such as “of” apart",
                required=True,
                choices=("lower", "upper", "title"),
            )
        },
        {"scope": SCOPE},
        letter_case,
    ),
    ConstraintType(
        "capital_word_count",
        "has a number of words in capitals",
        BOUND_PARAMS,
        {"scope": SCOPE},
        capital_word_count,
        settle_bound,
    ),
)
