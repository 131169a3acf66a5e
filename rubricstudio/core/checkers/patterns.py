"""Constraints that an author writes as a regular expression.

No pattern may take long on any text. One that does so on short texts made to provoke it is refused
when it is written; one that does so later gives no answer.
"""

from collections.abc import Iterator
from functools import lru_cache
from math import prod
from typing import Final

import regex

from rubricstudio.core.checkers.answers import Answer, Check, Values, counted, shown
from rubricstudio.core.checkers.constraint_type import ConstraintType
from rubricstudio.core.checkers.counting import MOST_SPANS, SCOPE, selector
from rubricstudio.core.checkers.params import Kind, Param
from rubricstudio.core.checkers.segmentation import DocumentView, normalise
from rubricstudio.core.errors import ConstraintError
from rubricstudio.core.types import Json, Span

LONGEST: Final = 500
SECONDS: Final = 0.25
"""A pattern that is any good takes a thousandth of that on a long response."""
_PROVOKING_LENGTH: Final = 2_000
_MOST_PROVOKING: Final = 12
_MOST_REPEATS: Final = 100_000
_REPEATS: Final = regex.compile(r"\{(?:\d*,)?(\d+),?\}")


def matches_pattern(params: Values, options: Values) -> Check:
    """The pattern matches somewhere, or the whole response if that is asked for."""
    return _pattern_check(params, options, wanted=True)


def not_matches_pattern(params: Values, options: Values) -> Check:
    """The pattern matches nowhere."""
    return _pattern_check(params, options, wanted=False)


def _pattern_check(params: Values, options: Values, *, wanted: bool) -> Check:
    pattern, select = _compiled(params["pattern"], params["ignore_case"]), selector(options)
    whole, name = params["where"] == "whole", shown(params["pattern"])

    def check(view: DocumentView) -> Answer:
        try:
            spans = _matches(pattern, select(view).text, whole=whole)
        except TimeoutError:
            return Answer(None, f"the pattern {name} takes too long on this response")
        told = "does not match" if not spans else f"matches {counted(len(spans), 'time')}"
        return Answer(bool(spans) is wanted, f"the pattern {name} {told}", tuple(spans))

    return check


def _matches(pattern: "regex.Pattern[str]", text: str, *, whole: bool) -> list[Span]:
    if whole:
        found = pattern.fullmatch(text, timeout=SECONDS)
        return [Span(*found.span())] if found else []
    spans: list[Span] = []
    for one in pattern.finditer(text, timeout=SECONDS):
        spans.append(Span(*one.span()))
        if len(spans) == MOST_SPANS:
            break
    return spans


def settle_pattern(params: Values) -> dict[str, Json]:
    """A pattern that can be read and does not explode; raises :class:`ConstraintError`."""
    reason = _flaw(params["pattern"], params["ignore_case"])
    if reason:
        raise ConstraintError(reason)
    return dict(params)


@lru_cache(maxsize=1024)
def _flaw(text: str, ignore_case: bool) -> str:
    """What is wrong with a pattern, as a sentence; empty when nothing is."""
    if len(text) > LONGEST:
        return f"the pattern has {len(text):,} characters; {LONGEST} are the most"
    if _repeats(text) > _MOST_REPEATS:
        return f"the pattern repeats more than {_MOST_REPEATS:,} times; make its counts smaller"
    try:
        pattern = _compiled(text, ignore_case)
    except (regex.error, RecursionError, OverflowError, MemoryError) as error:
        return f"the pattern cannot be read: {error}"
    try:
        for provoking in _provoking(text):
            pattern.search(provoking, timeout=SECONDS)
            pattern.fullmatch(provoking, timeout=SECONDS)
    except TimeoutError:
        return (
            f"the pattern takes more than {SECONDS} s on {shown(provoking)}; "
            "a repetition inside a repetition is the usual cause"
        )
    return ""


def _repeats(text: str) -> int:
    """How often a part is repeated, were all counts inside each other.

    Reading a pattern takes as long as that, and nothing can interrupt it.
    """
    return prod(max(int(one), 1) for one in _REPEATS.findall(text))


@lru_cache(maxsize=1024)
def _compiled(text: str, ignore_case: bool) -> "regex.Pattern[str]":
    flags = regex.V1 | regex.MULTILINE | (regex.IGNORECASE if ignore_case else 0)
    return regex.compile(normalise(text), flags, cache_pattern=False)


def _provoking(pattern: str) -> Iterator[str]:
    """Texts on which patterns that try the same again and again take for ever."""
    signs = [sign for sign in dict.fromkeys(pattern) if sign.isalnum() or sign in " -_,;'\"@/"]
    for sign in [*"a0 ", *signs[:_MOST_PROVOKING]]:
        yield sign * _PROVOKING_LENGTH + "\x00"
    yield "a " * _PROVOKING_LENGTH + "\x00"
    yield "".join(signs[:_MOST_PROVOKING]) * (_PROVOKING_LENGTH // 10) + "\x00"


_PARAMS: Final = {
    "pattern": Param(
        Kind.TEXT, f"a regular expression of {LONGEST} characters at most", required=True
    ),
    "where": Param(
        Kind.CHOICE,
        "anywhere: it matches a part; whole: it matches all of the response",
        default="anywhere",
        choices=("anywhere", "whole"),
    ),
    "ignore_case": Param(Kind.FLAG, "whether upper and lower case are the same", default=False),
}

TYPES: Final = (
    ConstraintType(
        "matches_pattern",
        "matches the pattern",
        _PARAMS,
        {"scope": SCOPE},
        matches_pattern,
        settle_pattern,
    ),
    ConstraintType(
        "not_matches_pattern",
        "does not match the pattern",
        _PARAMS,
        {"scope": SCOPE},
        not_matches_pattern,
        settle_pattern,
    ),
)
