"""Numbers that a text says, and what is doubtful in a constraint that can be checked."""

import pytest

from rubricstudio.core.checkers.doubts import doubts
from rubricstudio.core.checkers.registry import normalised
from rubricstudio.core.checkers.said_numbers import said_numbers
from rubricstudio.core.types import Constraint


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("exactly three paragraphs", 3),
        ("at least 1,200 words", 1200),
        ("at least 1 200 words", 1200),
        ("300+ words", 300),
        ("Twenty-five sentences", 25),
        ("two hundred and fifty words", 250),
        ("one thousand five hundred", 1500),
        ("a dozen lines", 12),
        ("dozens of hundreds", 12),
        ("use it twice", 2),
        ("the third paragraph", 3),
        ("the last paragraph", -1),
        ("第二段", 2),
        ("三百二十字", 320),
        ("一万二千字", 12_000),
        ("二〇二六", 2026),
        ("最后一段", -1),
        ("１２ placeholders", 12),
    ],
)
def test_a_number_is_read_however_it_is_said(text, number):
    assert number in said_numbers(text)


@pytest.mark.parametrize("text", ["", "in paragraphs", "often", "9" * 400])
def test_nothing_is_read_where_no_number_is_said(text):
    assert said_numbers(text) == frozenset()


def of(type, quote="", **params):
    found = doubts(normalised(Constraint(type, params)), quote=quote)
    return {one.param: one.sentence for one in found}


def test_a_number_that_the_quote_does_not_say_is_doubted():
    assert of("word_count", "at most 220 words", op="le", value=200) == {
        "value": "The quoted words do not say 200: quote those that do."
    }
    assert of("word_count", "at most 200 words", op="le", value=200) == {}
    assert list(of("word_count", "3 to 5 words", op="between", value=3, high=6)) == ["high"]


@pytest.mark.parametrize(
    ("quote", "op", "value"),
    [
        ("fewer than 10", "le", 9),
        ("more than 10", "ge", 11),
        ("at most 9", "lt", 10),
        ("at least 11", "gt", 10),
    ],
)
def test_the_neighbour_of_a_number_says_the_same(quote, op, value):
    assert of("sentence_count", quote, op=op, value=value) == {}


def test_how_often_a_phrase_is_asked_for_is_compared_but_for_the_default():
    assert of("contain", "mention tea", phrases=["tea"]) == {}
    assert of("contain", "mention tea 3 times", phrases=["tea"], min_count=3) == {}
    assert list(of("contain", "mention the tea", phrases=["tea"], min_count=3)) == ["min_count"]
    fewer = {"phrases": ["tea"], "min_count": 0, "max_count": 3}
    assert of("contain", "tea fewer than 4 times", **fewer) == {}


def test_without_a_quote_nothing_is_compared():
    assert of("paragraph_count", "  ", op="eq", value=4) == {}


@pytest.mark.parametrize(("op", "value"), [("eq", 0), ("le", 0), ("lt", 1), ("approx", 0)])
def test_a_bound_that_no_response_keeps_is_doubted(op, value):
    assert "No response" in of("word_count", op=op, value=value)["value"]


def test_a_bound_that_every_response_keeps_is_doubted():
    assert "Every response" in of("line_count", op="ge", value=0)["value"]
    assert of("line_count", op="ge", value=1) == {}
    assert of("line_count", op="ne", value=0) == {}


@pytest.mark.parametrize("quote", ["בדיוק שלוש פסקאות", "en trois paragraphes"])
def test_number_words_of_a_language_that_is_not_read_are_no_reason_to_doubt(quote):
    assert of("paragraph_count", quote, op="eq", value=3) == {}
