"""Texts made to be slow or odd: every instruction answers each, in linear time."""

import time

import pytest

from rubricstudio.core.checkers import ifeval
from rubricstudio.core.checkers.registry import compile_checker
from rubricstudio.core.checkers.segmentation import DocumentView
from rubricstudio.core.types import IFEVAL, Constraint
from tests.core.checkers.ifeval.examples import EXAMPLES

MEGABYTE = 1_000_000
# Measured: at most 9 s for all instructions together, where one that is not linear takes hours.
SECONDS = 60

SLOW = {
    "stars": "*a ",
    "open brackets": "[",
    "blank lines of spaces": "\n" + " " * 100,
    "blank lines": "\n",
    "blank lines of two kinds": "\n \n",
    "numbers": "1. a\n",
    "combining marks": "\u0301\u0327",
    "kanji that is never read": "漢（",
    "open quotes": "「",
    "open questions": "¿",
    "angles": "<",
    "prose": "Dr. Smith went to town, he said. ",
}

ODD = {
    "one emoji": "🙂",
    "a family": "👨‍👩‍👧",
    "control characters": "\x00\x07\x0b\x1b",
    "a mark of direction": "\u202eمرحبا بالعالم\u202c، كيف حالك؟",
    "hebrew": 'שלום עולם. מה שלומך? "טוב".',
    "line separators": "a\u2028b\u2029c\x85d",
    "a lone surrogate": "a \ud800 b.",
    "a mark alone": "\u0301",
    "a capital that gets longer": "İİİ, İ.",
    "a zero width space": "\u200b",
    "carriage returns": "a\r\rb\r\n",
    "marks alone": "?!",
    "digits of another script": "٣٤ ४५",
}

NAMES = [name for name in ifeval.IFEVAL_TYPES if not name.startswith("en:")]


def checkers(*, loose=False):
    return [
        compile_checker(
            Constraint(
                name,
                EXAMPLES[name].params if name in EXAMPLES else {},
                {"loose": loose},
                dialect=IFEVAL,
            )
        )
        for name in NAMES
    ]


@pytest.mark.slow
@pytest.mark.parametrize("piece", SLOW.values(), ids=SLOW)
def test_every_instruction_answers_a_megabyte_in_time(piece):
    view = DocumentView(f"x{piece * (MEGABYTE // len(piece))}y")
    ready = checkers()

    started = time.process_time()
    outcomes = [one.check(view) for one in ready]

    assert time.process_time() - started < SECONDS
    assert all(outcome.reason for outcome in outcomes)


@pytest.mark.parametrize("loose", [False, True], ids=["strict", "loose"])
@pytest.mark.parametrize("text", ODD.values(), ids=ODD)
def test_every_instruction_answers_an_odd_text_in_one_line(text, loose):
    view = DocumentView(text)

    for outcome in [one.check(view) for one in checkers(loose=loose)]:
        assert outcome.reason
        assert not set(outcome.reason) & set("\n\r\x00\x07\x1b")
        assert all(0 <= start <= end <= len(text) for start, end in outcome.spans)


def test_a_text_too_long_to_be_cut_into_sentences_has_no_answer():
    checker = compile_checker(
        Constraint(
            "length_constraints:number_sentences",
            {"num_sentences": 1, "relation": "at least"},
            dialect=IFEVAL,
        )
    )

    outcome = checker.check(DocumentView("Well. " * 20_000))
    assert (outcome.result, outcome.reason) == (
        "unavailable",
        "120,000 characters are too many to be cut into sentences; at most 100,000 are",
    )


def test_json_that_is_nested_too_deep_has_no_answer():
    checker = compile_checker(Constraint("detectable_format:json_format", dialect=IFEVAL))

    outcome = checker.check(DocumentView("[" * 100_000))
    assert (outcome.result, outcome.reason) == (
        "unavailable",
        "it is nested too deep to be read as JSON",
    )
