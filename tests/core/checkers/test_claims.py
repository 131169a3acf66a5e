"""Which criteria make the same claim as a constraint."""

import pytest

from rubricstudio.core.checkers.claims import probable_quote, says_the_same
from rubricstudio.core.checkers.registry import normalised
from rubricstudio.core.types import Constraint

THREE = Constraint("paragraph_count", {"op": "eq", "value": 3})
NO_TEA = Constraint("not_contain", {"phrases": ["tea", "Coffee"]})
SECOND = Constraint("nth_paragraph_begin_with", {"n": 2, "text": "However"})


@pytest.mark.parametrize(
    ("constraint", "text"),
    [
        (THREE, "It has exactly three paragraphs."),
        (THREE, "回答分为三段。"),
        (NO_TEA, "Neither Tea nor coffee is mentioned."),
        (SECOND, "The second paragraph begins with “However”."),
    ],
)
def test_a_criterion_that_names_all_of_it_says_the_same(constraint, text):
    assert says_the_same(normalised(constraint), text)


@pytest.mark.parametrize(
    ("constraint", "text"),
    [
        (THREE, "It has three sentences."),
        (THREE, "Its paragraphs are short."),
        (NO_TEA, "Tea is not mentioned."),
        (SECOND, "The third paragraph begins with “However”."),
        (Constraint("contain", {"phrases": ["tea"], "min_count": 2}), "It mentions tea."),
    ],
)
def test_a_criterion_that_lacks_a_part_of_it_does_not(constraint, text):
    assert not says_the_same(normalised(constraint), text)


def test_a_constraint_that_names_nothing_is_like_no_criterion():
    assert not says_the_same(Constraint("poem"), "It is a poem.")


def test_a_type_that_is_not_checked_is_told_by_all_that_it_names():
    poem = Constraint("poem:words", {"about": "tides", "count": 14})

    assert says_the_same(poem, "A poem about Tides in 14 words.")
    assert not says_the_same(poem, "A poem about tides in 14 parts.")
    assert not says_the_same(poem, "A poem of 14 words.")


PROMPT = """I would like to start my own business. Please avoid mentioning "photography".
Give your advice in exactly 5 paragraphs (separated by ***), and use 3 words or more in each."""


@pytest.mark.parametrize(
    ("constraint", "quote"),
    [
        (
            Constraint("not_contain", {"phrases": ["photography"]}),
            'Please avoid mentioning "photography".',
        ),
        (
            Constraint("paragraph_count", {"op": "eq", "value": 5}),
            "Give your advice in exactly 5 paragraphs",
        ),
        (Constraint("word_count", {"op": "ge", "value": 3}), "use 3 words or more in each."),
        (Constraint("word_count", {"op": "ge", "value": 300}), ""),
        (Constraint("poem"), ""),
    ],
)
def test_the_words_that_ask_for_a_constraint_are_found_in_the_prompt(constraint, quote):
    assert probable_quote(constraint, PROMPT) == quote
