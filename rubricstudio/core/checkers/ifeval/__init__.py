"""The dialect ``ifeval/1``: the published instructions, read as their evaluators read them.

A constraint of this dialect is named by a published instruction id and takes the published
arguments; the option ``loose`` is the loose reading of the evaluators. On published responses the
outcomes are the published verdicts, with all their quirks, which stand in the modules beside this
one. They differ where a verdict was drawn by lot: a missing argument is refused, and a sign whose
frequency is asked for is counted.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from rubricstudio.core.checkers.constraint_type import ConstraintType
from rubricstudio.core.checkers.ifeval import languages
from rubricstudio.core.checkers.ifeval.bench_types import BENCH_TYPES
from rubricstudio.core.checkers.ifeval.multilingual_types import MULTILINGUAL_TYPES, REFUSED
from rubricstudio.core.checkers.ifeval.rules import ENGLISH, instruction, number, relation
from rubricstudio.core.checkers.ifeval.shared_types import ENGLISH_ANSWERS, Tongue, shared_types

__all__ = ["BENCH_TYPES", "IFEVAL_TYPES", "INSTRUCTIONS", "REFUSED", "REVISION"]

REVISION: Final = 1
"""Raised with every change that could change an outcome, one of a library it reads with too."""

INSTRUCTIONS: Final[tuple[ConstraintType, ...]] = (
    *shared_types(Tongue(ENGLISH, ENGLISH_ANSWERS)),
    instruction(
        "change_case:english_capital",
        "is in English and in capitals",
        languages.in_case(languages.CAPITALS, "en"),
    ),
    instruction(
        "change_case:english_lowercase",
        "is in English and in small letters",
        languages.in_case(languages.SMALL, "en"),
    ),
    instruction(
        "change_case:capital_word_frequency",
        "has a number of words in capitals",
        languages.capital_words(ENGLISH),
        {"capital_frequency": number("how many"), "capital_relation": relation(ENGLISH)},
    ),
)
"""The 25 instructions of IFEval."""

IFEVAL_TYPES: Final[Mapping[str, ConstraintType]] = {
    one.name: one
    for one in (
        *INSTRUCTIONS,
        *(replace(one, name=f"en:{one.name}") for one in INSTRUCTIONS),
        *BENCH_TYPES,
        *MULTILINGUAL_TYPES,
    )
}
"""Every instruction that is checked, by its id."""
