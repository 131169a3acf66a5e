"""How the types of this dialect are built: a rule about a text, asked strictly or loosely."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import islice
from typing import Final

from rubricstudio.core.checkers.answers import Answer, Check, Values, counted
from rubricstudio.core.checkers.constraint_type import ConstraintType
from rubricstudio.core.checkers.counting import Bound, read_bound
from rubricstudio.core.checkers.ifeval.libraries import Unanswerable
from rubricstudio.core.checkers.ifeval.texts import Reading, Text
from rubricstudio.core.checkers.params import Kind, Param
from rubricstudio.core.checkers.segmentation import DocumentView
from rubricstudio.core.types import IFEVAL, Json, Span

Rule = Callable[[Text], Answer]
"""What one instruction asks of a text; spans are places in that text."""

Make = Callable[[Values], Rule]

MOST_SPANS: Final = 50

LOOSE: Final = Param(
    Kind.FLAG,
    "whether it is enough that the response follows without its first line, its last line, its "
    "stars, or several of these",
    default=False,
)

ENGLISH: Final[Mapping[str, str]] = {"less than": "lt", "at least": "ge"}
FRENCH: Final[Mapping[str, str]] = {"moins de": "lt", "au moins": "ge"}
SPANISH: Final[Mapping[str, str]] = {"al menos": "ge", "como máximo": "le"}
JAPANESE: Final[Mapping[str, str]] = {"未満": "lt", "以上": "ge"}
"""How the published arguments name a comparison, by language."""


def instruction(
    name: str,
    meaning: str,
    make: Make,
    params: Mapping[str, Param] | None = None,
    settle: Callable[[Values], dict[str, Json]] = dict,
) -> ConstraintType:
    """A type of this dialect under its published id, with the published arguments."""
    check = partial(_checked, make)
    return ConstraintType(name, meaning, params or {}, {"loose": LOOSE}, check, settle, IFEVAL)


def _checked(make: Make, params: Values, options: Values) -> Check:
    rule, loose = make(params), options["loose"]

    def check(view: DocumentView) -> Answer:
        reading = view.shared(Reading)
        try:
            answer = rule(reading.whole)
            if loose and answer.passed is False:
                answer = _loosely(rule, reading, answer)
        except Unanswerable as error:
            return Answer(None, str(error))
        moved = tuple(Span(a + reading.start, b + reading.start) for a, b in answer.spans)
        return answer._replace(spans=moved)

    return check


def _loosely(rule: Rule, reading: Reading, strict: Answer) -> Answer:
    """The first variant that follows; its places are not those of the response."""
    for variant in reading.variants:
        answer = rule(variant.text)
        if answer.passed is not False:
            return Answer(answer.passed, f"without {variant.told}: {answer.reason}")
    return strict


def relation(words: Mapping[str, str]) -> Param:
    """The parameter that says how a number is compared, in the words of one language."""
    return Param(Kind.CHOICE, "how the number is compared", required=True, choices=tuple(words))


def number(meaning: str, *, least: int = 0) -> Param:
    """A whole number that has to be given; the evaluators draw one where it is missing."""
    return Param(Kind.COUNT, meaning, required=True, least=least)


def text(meaning: str) -> Param:
    """A text that has to be given."""
    return Param(Kind.TEXT, meaning, required=True)


def bound(operator: str, value: int, high: int | None = None) -> Bound:
    """The numbers that an operator allows."""
    return read_bound({"op": operator, "value": value, "high": high, "tolerance": None})


def compared(params: Values, value: str, words: Mapping[str, str], how: str = "relation") -> Bound:
    """The bound stated by a number and a comparison in words."""
    return bound(words[params[how]], params[value])


def counts(noun: str, asked: Bound, count: Callable[[Text], int], *, of: str = "") -> Rule:
    """A number of things that have no place of their own; ``of`` says of what, in front."""

    def rule(text: Text) -> Answer:
        total = count(text)
        return Answer(asked.holds(total), f"{of}{counted(total, noun)}, {asked.asked}")

    return rule


def found(noun: str, asked: Bound, find: Callable[[Text], Iterable[Span]], *, of: str = "") -> Rule:
    """A number of things with their places; ``of`` says of what, in front."""

    def rule(text: Text) -> Answer:
        places = iter(find(text))
        first = first_of(places)
        total = len(first) + sum(1 for _ in places)
        return Answer(asked.holds(total), f"{of}{counted(total, noun)}, {asked.asked}", first)

    return rule


def none_of(noun: str, find: Callable[[Text], Iterable[Span]]) -> Rule:
    """Nothing of a kind is there."""

    def rule(text: Text) -> Answer:
        places = iter(find(text))
        first = first_of(places)
        if not first:
            return Answer(True, f"no {noun}")
        total = len(first) + sum(1 for _ in places)
        return Answer(False, f"{counted(total, noun)}, none asked", first)

    return rule


def first_of(places: Iterable[Span]) -> tuple[Span, ...]:
    """The first places, as many as are shown."""
    return tuple(islice(places, MOST_SPANS))


def matches(pattern: re.Pattern[str], text: str) -> Iterator[Span]:
    """The places of a pattern that takes linear time."""
    return (Span(*one.span()) for one in pattern.finditer(text))
