import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rubricstudio.core.parsing import Reply, parse_constraints
from rubricstudio.core.parsing.numbers import numbers_in
from rubricstudio.core.types import Constraint, UnscoredReason

REFERENCE = "constraints:abc12345"
PROMPT = (
    "Write fewer than 200 words in three\n paragraphs about 'sea salt'. "
    'End the last paragraph with "Amen". 用五十个字。'
)
TYPES = ("word_count", "paragraph_count", "contain", "nth_paragraph_end_with")


def row(kind="word_count", quote="fewer than 200 words", **params):
    return {
        "type": kind,
        "source_quote": quote,
        "strictness": "hard",
        "params": params or {"op": "le", "value": 200},
    }


def found(*rows, prompt=PROMPT, **fields):
    content = json.dumps({"id": REFERENCE, "constraints": list(rows), **fields})
    return parse_constraints(Reply(content), prompt=prompt, types=TYPES, reference=REFERENCE)


def test_a_constraint_that_the_prompt_states_stands_with_its_quotation():
    value = found(row()).value

    assert value.constraints == (
        Constraint("word_count", {"op": "le", "value": 200}, evidence="fewer than 200 words"),
    )


@pytest.mark.parametrize(
    "good",
    [
        row(quote="fewer  than\n200 words"),
        row(op="le", value=199),
        row("paragraph_count", "three paragraphs", op="eq", value=3),
        row("contain", "'sea salt'", phrases=["sea salt"], min_count=1, case_sensitive=None),
        row("nth_paragraph_end_with", "End the last paragraph", n=-1, text="Amen"),
        row("nth_paragraph_end_with", "End the last paragraph", n=-3, text="Amen"),
        row(quote="用五十个字", op="eq", value=50),
        row(quote="fewer than 200 words", op="approx", value=200, tolerance=0.1),
    ],
)
def test_numbers_may_be_said_in_digits_in_words_or_by_the_wording(good):
    value = found(good).value

    assert (len(value.constraints), value.dropped) == (1, ())


@pytest.mark.parametrize(
    ("bad", "sentence"),
    [
        (row(quote="at most 200 words"), "not in the prompt"),
        (row(quote=""), "not in the prompt"),
        (row(op="le", value=250), "does not name"),
        (row(op="ge", value=199), "does not name"),
        (row(op="between", value=200, high=300), "does not name"),
        (row("language", "three paragraphs", text="en"), "none of the types"),
        (row("paragraph_count", "three paragraphs", op="eq", value=4), "does not name"),
        ({"type": "word_count"}, "other keys"),
        ({**row(), "confidence": 1}, "other keys"),
        ({**row(), "params": [200]}, "no object"),
        ({**row(), "type": None}, "none of the types"),
        ("fewer than 200 words", "other keys"),
    ],
)
def test_what_the_prompt_does_not_state_is_dropped_with_a_sentence_and_the_rest_stands(
    bad, sentence
):
    value = found(bad, row()).value

    assert len(value.constraints) == 1
    assert sentence in value.dropped[0].detail


def test_the_same_constraint_twice_counts_once():
    assert len(found(row(), row(quote="200 words")).value.constraints) == 1


def test_a_prompt_without_constraints_gives_none():
    value = found(constraints=None).value

    assert (value.constraints, value.dropped) == ((), ())


def test_constraints_that_are_no_list_are_unparsable():
    assert found(constraints={"type": "contain"}).reason == UnscoredReason.UNPARSABLE


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("1,500 words", {1500, 1, 500}),
        ("two hundred and fifty words", {250, 2, 50}),
        ("twenty-five lines", {25, 20, 5}),
        ("three thousand", {3000, 3}),
        ("a dozen roses, twice", {1, 12, 2}),
        ("the second paragraph and the first", {2, 1}),
        ("三百五十字", {350}),
        ("１２ lines", {12}),
        ("well done, somebody", set()),
    ],
)
def test_numbers_are_found_however_they_are_written(text, numbers):
    assert numbers <= numbers_in(text)


@given(st.integers(0, 10**9), st.text())
def test_a_number_in_digits_is_always_found(number, around):
    assert number in numbers_in(f"{around} x {number} y {around}")
