"""What runs in linear time finds what the published patterns, which do not, find."""

import re

from hypothesis import given
from hypothesis import strategies as st

from rubricstudio.core.checkers.ifeval import formats, multilingual
from rubricstudio.core.checkers.ifeval.bench_formats import without_blank_lines
from rubricstudio.core.checkers.ifeval.patterns import enclosed, line_spans, widest, without


def texts(alphabet):
    return st.text(st.sampled_from(alphabet), max_size=24)


def count(pattern, text):
    return len(re.findall(pattern, text, re.MULTILINE))


@given(texts("*-a \n\r\u3000"))
def test_bullets_are_counted_as_the_published_patterns_count_them(text):
    stars = sum(1 for _ in formats.STAR_BULLET.finditer(text))
    dashes = sum(1 for _ in formats.DASH_BULLET.finditer(text))

    assert stars == count(r"^\s*\*[^\*].*$", text)
    assert dashes == count(r"^\s*-.*$", text)


@given(texts("・-a1. \n"))
def test_japanese_items_are_counted_as_the_published_patterns_count_them(text):
    assert sum(1 for _ in multilingual.DOT_BULLET.finditer(text)) == count(r"^\s*・.*$", text)
    spaced = sum(1 for _ in multilingual.SPACED_DASH_BULLET.finditer(text))
    assert spaced == count(r"^\s*-\s+.*$", text)
    numbered = sum(1 for _ in multilingual.NUMBERED_ITEM.finditer(text))
    assert numbered == count(r"^\s*\d+\.\s.*$", text)


@given(texts("[]ab\n"))
def test_placeholders_are_those_of_the_published_pattern(text):
    found = [text[start:end] for start, end in enclosed(text, "[", "]")]

    assert found == re.findall(r"\[.*?\]", text)


@given(texts("¿?a\n"))
def test_questions_are_those_of_the_published_pattern(text):
    found = [text[start:end] for start, end in enclosed(text, "¿", "?", across_lines=True)]

    assert found == re.findall(r"¿[^?]*\?", text)


@given(texts("<>a\n"))
def test_titles_in_angles_are_those_of_the_published_pattern(text):
    assert [text[start:end] for start, end in widest(text, "<<", ">>")] == re.findall(
        r"<<[^\n]+>>", text
    )


@given(texts("#a \n"))
def test_titles_in_number_signs_are_those_of_the_published_pattern(text):
    assert [text[start:end] for start, end in widest(text, "##", "##")] == re.findall(
        r"##[^\n]+##", text
    )


@given(texts("「」a\n"))
def test_quotations_are_taken_out_as_by_the_published_pattern(text):
    assert without(text, enclosed(text, "「", "」")) == re.sub(r"「.*?」", "", text)


@given(texts("夢（）ゆ\n"))
def test_kanji_with_a_reading_are_those_of_the_published_pattern(text):
    read = sum(1 for _ in multilingual._READ_KANJI.finditer(text))

    assert read == count(r"[\u4e00-\u9faf]+（[ぁ-ん]+）", text)


@given(st.text(st.sampled_from("a*_` "), max_size=12))
def test_emphasis_at_the_end_goes_as_by_the_published_pattern(text):
    stripped = text.strip()

    theirs = re.sub(r"(?:\s*(?:\*\*|__|\*|_|`)+\s*)+$", "", stripped).strip()
    assert multilingual.without_emphasis(stripped) == theirs


@given(st.lists(st.sampled_from(["", " ", "  ", "a", " a"]), max_size=14))
def test_blank_lines_go_as_they_go_from_a_list_that_is_walked_through(lines):
    walked = list(lines)
    for line in walked:
        if not line.strip():
            walked.remove(line)

    assert list(without_blank_lines(lines)) == walked


@given(texts("ab\n\r\u2028"))
def test_lines_are_cut_at_line_feeds_alone(text):
    assert [text[start:end] for start, end in line_spans(text)] == text.split("\n")
