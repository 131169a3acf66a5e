"""Instructions about keywords and letters.

Quirks that are kept: a keyword is a pattern and is found inside of other words; a forbidden word
is a pattern between word boundaries. One that is not: the evaluators take a random letter in place
of a sign whose frequency is asked for; here the sign itself is counted.
"""

from collections.abc import Callable, Mapping
from typing import Final

from rubricstudio.core.checkers.answers import Answer, Values, counted, shown
from rubricstudio.core.checkers.ifeval.patterns import Find, finder, literal
from rubricstudio.core.checkers.ifeval.rules import (
    Make,
    Rule,
    compared,
    counts,
    first_of,
    found,
    none_of,
)
from rubricstudio.core.checkers.ifeval.texts import Text
from rubricstudio.core.errors import ConstraintError
from rubricstudio.core.types import Json, Span

TIMES: Final = (1, 2, 3, 5, 7)
"""How often the five keywords of ``count:keywords_multiple`` are asked for."""


def existence(params: Values) -> Rule:
    """Every keyword is found."""
    return contains_all({one: finder(one) for one in sorted(params["keywords"])})


def contains_all(finders: Mapping[str, Find]) -> Rule:
    """Each of some texts is found."""

    def rule(text: Text) -> Answer:
        spans: list[Span] = []
        for name, find in finders.items():
            first = next(find(text.text), None)
            if first is None:
                return Answer(False, f"{shown(name)} not found", first_of(spans))
            spans.append(first)
        return Answer(True, f"{_listed(list(finders))} found", first_of(spans))

    return rule


def forbidden_words(params: Values) -> Rule:
    """No forbidden word is found between word boundaries."""
    words = sorted(set(params["forbidden_words"]))
    return contains_none({one: finder(rf"\b{one}\b") for one in words})


def contains_none(finders: Mapping[str, Find]) -> Rule:
    """None of some texts is found."""

    def rule(text: Text) -> Answer:
        for name, find in finders.items():
            spans = first_of(find(text.text))
            if spans:
                return Answer(False, f"{shown(name)} found, none asked", spans)
        return Answer(True, f"{_listed(list(finders))} not found")

    return rule


def _listed(names: list[str]) -> str:
    return shown(names[0]) if len(names) == 1 else f"all {len(names)} words"


def frequency(words: Mapping[str, str], search: Callable[[str], Find] = finder) -> Make:
    """A keyword is found a number of times."""

    def make(params: Values) -> Rule:
        keyword = params["keyword"].strip()
        find = search(keyword)
        asked = compared(params, "frequency", words)
        return found("time", asked, lambda text: find(text.text), of=f"{shown(keyword)} found ")

    return make


def letter_frequency(words: Mapping[str, str]) -> Make:
    """A letter, in either case, is there a number of times."""

    def make(params: Values) -> Rule:
        letter = params["letter"].lower()
        asked = compared(params, "let_frequency", words, "let_relation")
        return counts(
            "time", asked, lambda text: text.lower.count(letter), of=f"{shown(letter)} found "
        )

    return make


def one_letter(params: Values) -> dict[str, Json]:
    """Refuse a letter that is not one character."""
    if len(params["letter"]) != 1:
        raise ConstraintError(f"the letter {params['letter']!r:.40} has to be one character")
    return dict(params)


def absent_sign(sign: str, noun: str) -> Make:
    """A sign is nowhere."""
    find = literal(sign)
    return lambda _: none_of(noun, lambda text: find(text.text))


def keywords_multiple(params: Values) -> Rule:
    """Five keywords, in any case and inside of words too, as often as asked: 1, 2, 3, 5, 7."""
    pairs = [(params[f"keyword{place}"].strip(), times) for place, times in enumerate(TIMES, 1)]

    def rule(text: Text) -> Answer:
        for keyword, times in pairs:
            total = text.lower.count(keyword.lower())
            if total != times:
                reason = f"{shown(keyword)} found {counted(total, 'time')}, exactly {times} asked"
                return Answer(False, reason, first_of(literal(keyword)(text.text)))
        return Answer(True, "all five keywords as often as asked")

    return rule
