"""Two texts, and what changed between them."""

import itertools
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rubricstudio.core.differences import Change, word_differences

TEXT = st.text(alphabet="ab א的🙂\n’e\u0301", max_size=60)


def told(before, after):
    marks = {Change.SAME: "{}", Change.REMOVED: "[-{}-]", Change.ADDED: "[+{}+]"}
    return "".join(marks[one.change].format(one.text) for one in word_differences(before, after))


def test_a_changed_word_is_told_whole():
    assert told("keeps sentences short", "keeps sentence short") == (
        "keeps [-sentences-][+sentence+] short"
    )


def test_an_apostrophe_belongs_to_its_word():
    assert told("it's done", "its done") == "[-it's-][+its+] done"


def test_chinese_is_told_by_characters():
    assert told("春天来了", "夏天来了") == "[-春-][+夏+]天来了"


def test_a_latin_word_beside_chinese_stands_alone():
    assert told("用GPU训练", "用CPU训练") == "用[-GPU-][+CPU+]训练"


def test_hebrew_is_told_by_words():
    assert told("שלום עולם", "שלום לכם") == "שלום [-עולם-][+לכם+]"


def test_an_emoji_of_several_code_points_is_one_piece():
    assert told("a 👩‍🚀 b", "a 👩‍🔬 b") == "a [-👩‍🚀-][+👩‍🔬+] b"


def test_equal_texts_have_no_difference():
    assert [one.change for one in word_differences("one\ntwo", "one\ntwo")] == [Change.SAME]
    assert word_differences("", "") == []


@given(before=TEXT, after=TEXT)
def test_both_texts_can_be_read_back(before, after):
    found = word_differences(before, after)

    assert "".join(one.text for one in found if one.change is not Change.ADDED) == before
    assert "".join(one.text for one in found if one.change is not Change.REMOVED) == after
    assert all(one.change is not other.change for one, other in itertools.pairwise(found))


@pytest.mark.parametrize("unit", ["word ", "one line\n\n", "a\nb\nc\n", "字"])
def test_a_megabyte_is_told_in_seconds(unit):
    half = unit * (500_000 // len(unit))

    started = time.monotonic()
    found = word_differences(half + half, half + "other " + half)

    assert time.monotonic() - started < 10
    assert "other" in "".join(one.text for one in found if one.change is Change.ADDED)


def test_a_whole_page_of_one_word_is_told_in_a_second():
    page = "word " * 900

    started = time.monotonic()
    told(page, page.replace("word word", "word other"))

    assert time.monotonic() - started < 5
