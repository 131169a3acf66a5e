"""Characters, different words, numbers, emoji; upper and lower case."""

import pytest

from rubricstudio.core.types import CheckResult
from tests.core.checkers.checking import check, found, passes


def number(kind, response, **params):
    """How many are counted, read off the reason."""
    reason = check(kind, {"op": "ge", "value": 0, **params}, response).reason
    return int(reason.split()[0].replace(",", ""))


@pytest.mark.parametrize(
    ("response", "with_spaces", "without"),
    [
        ("ab cd", 5, 4),
        ("a\n\nb", 4, 2),
        ("  x  ", 3, 1),
        ("你好。", 3, 3),
        ("e\u0301", 1, 1),
        ("🙂 ok", 4, 3),
        ("a\r\nb", 3, 2),
    ],
)
def test_characters_are_code_points_with_or_without_spaces(response, with_spaces, without):
    # Outer blank lines and the white space at the very end never count.
    assert number("char_count", response) == with_spaces
    assert number("char_count", response, spaces=False) == without


def test_a_count_of_characters_says_how_it_was_counted():
    outcome = check("char_count", {"op": "le", "value": 3, "spaces": False}, "a b c d")

    assert outcome.result is CheckResult.FAILED
    assert outcome.reason == "4 characters without spaces, at most 3 asked"


@pytest.mark.parametrize(
    ("response", "count"), [("Tea tea TEA", 1), ("tea and milk", 3), ("don't don’t", 2)]
)
def test_different_words_are_counted_in_any_case(response, count):
    assert number("unique_word_count", response) == count


@pytest.mark.parametrize(
    ("response", "count"),
    [
        ("1,000 and 3.14", 2),
        ("1. one\n2. two", 0),
        ("call at 9:30 on 24/12", 2),
        ("no number", 0),
        ("2 cups", 1),
    ],
)
def test_numbers_in_digits_are_counted_without_those_of_list_items(response, count):
    assert number("number_count", response) == count


@pytest.mark.parametrize(
    ("response", "count"),
    [
        ("🙂 ok 🙂", 2),
        ("👩‍👩‍👧 family", 1),
        ("🇫🇷🇩🇪", 2),
        ("❤️", 1),
        ("1️⃣ first", 1),
        ("© 2024 ™", 0),
        ("plain", 0),
    ],
)
def test_an_emoji_is_one_however_it_is_put_together(response, count):
    assert number("emoji_count", response) == count


@pytest.mark.parametrize(
    ("form", "response", "expected"),
    [
        ("lower", "all small, 3 times.", True),
        ("lower", "iPhone 3", False),
        ("lower", "straße", True),
        ("lower", "12 345", None),
        ("lower", "你好。", None),
        ("lower", "你好 ok", True),
        ("upper", "ALL CAPS, 3 TIMES.", True),
        ("upper", "ALL CAPs", False),
        ("upper", "ÄÖÜ", True),
        ("upper", "МОСКВА", True),
        ("title", "The Art of the Deal", True),
        ("title", "The art of War", False),
        ("title", "the End", False),
        ("title", "Don't Stop", True),
        ("title", "The 3rd Man: A Life", True),
        ("title", "One: and More", False),
    ],
)
def test_a_case_is_kept_throughout(form, response, expected):
    assert passes("letter_case", {"form": form}, response) is expected


def test_the_word_in_the_wrong_case_is_shown():
    response = "my iPhone and MAC"

    outcome = check("letter_case", {"form": "lower"}, response)

    assert outcome.reason == '2 words not in lower case, the first is "iPhone"'
    assert found(outcome, response) == ["iPhone", "MAC"]


def test_code_is_left_out_of_the_case_where_that_is_asked():
    response = "use `Path` here"

    assert passes("letter_case", {"form": "lower"}, response) is False
    assert passes("letter_case", {"form": "lower"}, response, scope="outside_code") is True


@pytest.mark.parametrize(
    ("response", "count"),
    [("I like NASA and U.S.A.", 2), ("COVID-19 IS over", 2), ("I A", 0), ("1. STOP\n2. GO", 2)],
)
def test_words_in_capitals_have_two_letters_or_more(response, count):
    assert number("capital_word_count", response) == count


def test_words_in_capitals_are_shown_where_they_stand():
    response = "Say NO.\r\n\r\n- **STOP** it, co-\nOPERATE"

    outcome = check("capital_word_count", {"op": "eq", "value": 2}, response)

    assert outcome.result is CheckResult.PASSED
    assert found(outcome, response) == ["NO", "STOP"]
