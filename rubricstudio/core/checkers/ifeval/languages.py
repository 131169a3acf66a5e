"""Instructions about the language of a response and about capital letters.

Quirks that are kept: where no language can be detected the instruction counts as followed, for
capitals and small letters only if the case is right; a response without any cased letter is in
neither case.
"""

import unicodedata
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from rubricstudio.core.checkers.answers import Answer, Values, shown
from rubricstudio.core.checkers.ifeval import libraries
from rubricstudio.core.checkers.ifeval.rules import Make, Rule, compared, counts, first_of
from rubricstudio.core.checkers.ifeval.texts import Text


def response_language(params: Values) -> Rule:
    """The detected language is the one asked for."""
    asked = params["language"]

    def rule(text: Text) -> Answer:
        return _told(text.language, asked)

    return rule


def _told(language: str | None, asked: str) -> Answer:
    if language is None:
        return Answer(True, "no language detected, which counts as followed")
    reason = f"the detected language is {language}"
    return Answer(language == asked, reason if language == asked else f"{reason}, {asked} asked")


class Case(NamedTuple):
    """A case that a whole text may be in, and what in a word is not in it."""

    holds: Callable[[str], bool]
    wrong: str
    is_wrong: Callable[[str], bool]


def _is_upper(text: str) -> bool:
    """No letter but capitals, accents apart; a text without letters has none."""
    return all(
        one.isupper() or not one.isalpha()
        for letter in text
        for one in unicodedata.normalize("NFKD", letter)
        if not unicodedata.combining(one)
    )


CAPITALS: Final = Case(str.isupper, "small letter", str.islower)
SMALL: Final = Case(str.islower, "capital", str.isupper)
SPANISH_CAPITALS: Final = Case(_is_upper, "small letter", str.islower)


def in_case(case: Case, language: str, *, lowered: bool = False) -> Make:
    """Every letter is in one case, and the language is detected.

    ``lowered``: the language is detected in the text in lower case, for capitals mislead it.
    """

    def rule(text: Text) -> Answer:
        if not case.holds(text.text):
            return _miscased(text, case)
        found = libraries.detect_language(text.lower) if lowered else text.language
        return _told(found, language)

    return lambda _: rule


def _miscased(text: Text, case: Case) -> Answer:
    wrong = (run for run in text.runs if any(map(case.is_wrong, run.text)))
    first = next(wrong, None)
    if first is None:
        return Answer(False, "there is no letter that is a capital or small")
    spans = (first.span, *first_of(run.span for run in wrong))
    return Answer(False, f"a {case.wrong} in {shown(first.text)}", spans)


def capital_words(words: Mapping[str, str]) -> Make:
    """A number of tokens in capitals; a word with a hyphen is one, "I" counts."""
    return lambda params: counts(
        "word in capitals",
        compared(params, "capital_frequency", words, "capital_relation"),
        lambda text: sum(1 for token in text.tokens if token.isupper()),
    )
