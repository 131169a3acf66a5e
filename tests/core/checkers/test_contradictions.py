import pytest
from hypothesis import given
from hypothesis import strategies as st

from rubricstudio.core.checkers.contradictions import contradictions
from rubricstudio.core.types import IFEVAL, Constraint
from tests.core.checkers.checking import EVERY_TYPE, passes


def count(kind, op, value, **more):
    return Constraint(kind, {"op": op, "value": value, **more})


CONTRADICTORY = [
    (
        count("paragraph_count", "eq", 3),
        count("paragraph_count", "ge", 5),
        "paragraph count: exactly 3 and at least 5 cannot both be",
    ),
    (
        count("word_count", "between", 10, high=20),
        count("word_count", "gt", 20),
        "word count: 10 to 20 and more than 20 cannot both be",
    ),
    (
        count("line_count", "eq", 3),
        count("line_count", "ne", 3),
        "line count: exactly 3 and any number but 3 cannot both be",
    ),
    (
        Constraint("end_with", {"text": "Thank you."}),
        Constraint("end_with", {"text": "Goodbye."}),
        'it cannot end with both "Thank you." and "Goodbye."',
    ),
    (
        Constraint("nth_paragraph_begin_with", {"n": 2, "text": "Dear"}),
        Constraint("nth_paragraph_begin_with", {"n": 2, "text": "Hello"}),
        'it cannot begin with both "Dear" and "Hello"',
    ),
    (
        Constraint("contain", {"phrases": ["milk", "green tea"]}),
        Constraint("not_contain", {"phrases": ["tea"]}),
        'contain asks for "green tea", and not contain forbids it',
    ),
    (
        Constraint("no_punctuation", {"marks": [","]}),
        Constraint("begin_with", {"text": "Dear all,"}),
        'begin with asks for "Dear all,", and no punctuation forbids it',
    ),
    (
        count("paragraph_count", "le", 3),
        Constraint("nth_paragraph_contain", {"n": 5, "text": "tea"}),
        "paragraph 5 is asked for, and at most 3 paragraphs",
    ),
    (
        count("paragraph_count", "eq", 3),
        Constraint("nth_paragraph_contain", {"n": 1, "text": "tea", "paragraphs": 4}),
        "paragraph count: exactly 4 and exactly 3 cannot both be",
    ),
    (
        Constraint("language", {"language": "fr"}),
        Constraint("language", {"language": "en"}),
        "it cannot be both in French and in English",
    ),
    (
        Constraint("language", {"language": "zh"}),
        Constraint("letter_case", {"form": "lower"}),
        "letter case asks for a case, and Chinese is written without one",
    ),
    (
        Constraint("letter_case", {"form": "lower"}),
        Constraint("letter_case", {"form": "upper"}),
        "it cannot be both in upper case and in lower case",
    ),
    (
        Constraint("letter_case", {"form": "lower"}),
        Constraint("end_with", {"text": "Thank You", "match": "exact"}),
        'end with asks for "Thank You", and all is to be in lower case',
    ),
    (
        Constraint("json_only", {}),
        Constraint("begin_with", {"text": "Dear"}),
        'no JSON begins with "Dear"',
    ),
    (
        Constraint("markdown", {"use": "none"}),
        count("heading_count", "ge", 1),
        "heading count asks for Markdown, and plain text is asked for",
    ),
    (
        Constraint("quotation", {}),
        Constraint("begin_with", {"text": "Dear"}),
        'it cannot begin with "Dear" and stand in quotation marks',
    ),
]

COMPATIBLE = [
    (count("word_count", "ge", 10), count("word_count", "le", 10)),
    (count("word_count", "eq", 3), count("sentence_count", "eq", 1)),
    (count("paragraph_count", "eq", 3), count("paragraph_count", "eq", 2, divider="***")),
    (Constraint("begin_with", {"text": "Dear"}), Constraint("begin_with", {"text": "Dear all"})),
    (Constraint("end_with", {"text": "Bye"}), Constraint("begin_with", {"text": "Hello"})),
    (
        Constraint("contain", {"phrases": ["tea", "milk"], "require": "any"}),
        Constraint("not_contain", {"phrases": ["tea"]}),
    ),
    (
        Constraint("contain", {"phrases": ["tea"], "min_count": 0, "max_count": 3}),
        Constraint("not_contain", {"phrases": ["tea"]}),
    ),
    (
        Constraint("contain", {"phrases": ["badge"]}),
        Constraint("not_contain", {"phrases": ["bad"]}),
    ),
    (
        Constraint("letter_case", {"form": "lower"}),
        Constraint("end_with", {"text": "Thank You"}),
    ),
    (
        Constraint("contain", {"phrases": ["bad"], "match": "substring"}),
        Constraint("not_contain", {"phrases": ["bad"]}),
    ),
    (
        Constraint("contain", {"phrases": ["Tea"]}),
        Constraint("not_contain", {"phrases": ["Tea"]}, {"case": "match"}),
    ),
    (
        Constraint("contain", {"phrases": ["tea"]}),
        Constraint("not_contain", {"phrases": ["tea"]}, {"scope": "outside_code"}),
    ),
    (
        Constraint("nth_paragraph_begin_with", {"n": 1, "text": "Hello"}),
        Constraint("begin_with", {"text": "# Dear"}),
    ),
    (Constraint("json_only", {}), Constraint("contain", {"phrases": ["tea"]})),
    (Constraint("markdown", {"use": "none"}), count("heading_count", "eq", 0)),
    (
        Constraint("nth_paragraph_begin_with", {"n": 2, "text": "Dear"}),
        Constraint("begin_with", {"text": "Hello"}),
    ),
]


@pytest.mark.parametrize(("one", "other", "sentence"), CONTRADICTORY)
def test_two_constraints_that_exclude_each_other_are_named(one, other, sentence):
    first = contradictions([count("char_count", "ge", 1), one, other])
    second = contradictions([other, one])

    assert [(found.first, found.second, found.sentence) for found in first] == [(1, 2, sentence)]
    assert [(found.first, found.second) for found in second] == [(0, 1)]


@pytest.mark.parametrize(("one", "other"), COMPATIBLE)
def test_two_constraints_that_a_response_can_satisfy_are_left_alone(one, other):
    assert contradictions([one, other]) == []
    assert contradictions([other, one]) == []


@pytest.mark.parametrize("constraint", EVERY_TYPE, ids=lambda one: one.type)
def test_no_constraint_contradicts_itself(constraint):
    assert contradictions([constraint, constraint]) == []


def test_what_no_checker_answers_is_passed_over():
    unknown = Constraint("rhyme_scheme", {"scheme": "abab"})
    wrong = Constraint("word_count", {"op": "eq"})
    other_dialect = Constraint("word_count", {"op": "eq", "value": 1}, dialect=IFEVAL)

    assert contradictions([unknown, wrong, other_dialect, count("word_count", "eq", 2)]) == []


@given(
    st.lists(
        st.sampled_from([*EVERY_TYPE, *(one for pair in CONTRADICTORY for one in pair[:2])]),
        min_size=2,
        max_size=4,
    ),
    st.sampled_from(
        ["Dear all, tea.", '"Dear"', "{}", "Hello\n\ntea\n\nBye", "the small end", "你好", "TEA"]
    ),
)
def test_no_response_satisfies_constraints_that_are_said_to_exclude_each_other(parts, response):
    for found in contradictions(parts):
        pair = (parts[found.first], parts[found.second])
        assert not all(passes(one.type, dict(one.params), response) for one in pair)
