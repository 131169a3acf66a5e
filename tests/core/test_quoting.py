"""A judge's quotation is found in the response, if it is there."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rubricstudio.core.quoting import excerpt, find_quote

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


def test_an_excerpt_marks_the_stretches_and_tells_what_is_left_out():
    text = f"{'word ' * 400}the evidence{' word' * 400}"

    found = excerpt(text, find_quote("the evidence", text), lead=20, tail=20)

    assert [piece.marked for piece in found.pieces] == [False, True, False]
    assert found.pieces[0].text == "word word word word "
    assert (found.more_before, found.more_after) == (True, True)


def test_a_short_text_is_shown_whole():
    found = excerpt("All of it.", ())

    assert found.pieces == (("All of it.", False),)
    assert (found.more_before, found.more_after) == (False, False)


def test_an_endless_stretch_is_cut():
    found = excerpt("x" * 100_000, [(0, 100_000)], most=1_000)

    assert found.pieces == (("x" * 1_000, True),)
    assert found.more_after


SPANS = st.lists(st.tuples(st.integers(-5, 80), st.integers(-5, 80)), max_size=6)


@given(st.text(max_size=60), SPANS)
def test_the_pieces_make_the_text_again(text, spans):
    found = excerpt(text, spans)

    assert "".join(piece.text for piece in found.pieces) == text
    marked = {at for start, end in spans for at in range(max(start, 0), min(end, len(text)))}
    assert sum(len(piece.text) for piece in found.pieces if piece.marked) == len(marked)
