"""A judge's quotation is found in the response, if it is there."""

import time

import pytest

from rubricstudio.core.quoting import find_quote

TEXT = (
    "Kale is rich in *vitamin K*.\n\nTake  half a tablet\nmore, and go “back” to normal. "
    "你好，世界。"
)


def quoted(quote, text=TEXT):
    return [text[start:end] for start, end in find_quote(quote, text)]


@pytest.mark.parametrize(
    ("quote", "found"),
    [
        ("half a tablet", ["half a tablet"]),
        ('"half a tablet more"', ["half a tablet\nmore"]),
        ("rich in vitamin K", ["rich in *vitamin K"]),
        ("KALE IS RICH", ["Kale is rich"]),
        ('go "back" to normal', ["go “back” to normal"]),
        ("你好，世界", ["你好，世界"]),
    ],
)
def test_a_quotation_is_found_in_spite_of_space_marks_and_case(quote, found):
    assert quoted(quote) == found


def test_a_gap_gives_a_stretch_on_either_side():
    assert quoted("Kale is rich … half a tablet [...] to normal") == [
        "Kale is rich",
        "half a tablet",
        "to normal",
    ]


@pytest.mark.parametrize(
    ("quote", "found"),
    [
        ("It says “half a tablet more”, which is advice.", ["half a tablet\nmore"]),
        ('Both "rich in" and "to normal" are vague', ["rich in", "to normal"]),
        ("“Kale is rich … to normal” is all.", ["Kale is rich", "to normal"]),
        ("开头是「你好」。", ["你好"]),
        ("“half a chair” is not there", []),
    ],
)
def test_a_sentence_that_quotes_gives_what_stands_in_its_marks(quote, found):
    assert quoted(quote) == found


@pytest.mark.parametrize("quote", ["", "   ", "...", "half a chair", "nothing of the kind", "?!"])
def test_what_is_not_there_is_not_found(quote):
    assert find_quote(quote, TEXT) == ()


def test_a_repeated_part_is_found_where_it_goes_on():
    assert find_quote("yes ... yes", "yes, no, yes") == ((0, 3), (9, 12))


def test_a_long_text_is_searched_in_no_time():
    text = "half a " * 150_000 + "half a tablet"

    began = time.process_time()
    assert quoted("half a TABLET", text) == ["half a tablet"]

    assert time.process_time() - began < 2
