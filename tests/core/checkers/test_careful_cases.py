"""The cases that a careful person would insist on, the whole list of the design, one by one."""

import pytest

from rubricstudio.core.checkers.segmentation import DocumentView, ParagraphRule
from rubricstudio.core.types import CheckResult
from tests.core.checkers.checking import EVERY_TYPE, check, passes


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("don't", 1),
        ("don’t", 1),
        ("state-of-the-art", 1),
        ("and/or", 2),
        ("U.S.A.", 1),
        ("3.14", 1),
        ("1,000", 1),
        ("https://example.org/a-b?c=d.e", 1),
        ("—", 0),
        ("*", 0),
        ("#", 0),
        ("1.", 0),
        ("🙂 ok", 1),
        ("snake_case", 1),
        ("co-\noperate", 1),
        ("word…another", 2),
        ("**bold** text", 2),
    ],
)
def test_words(text, words):
    view = DocumentView(text)

    assert view.whole.word_count == words
    assert len(view.whole.word_spans) == words


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("Dr. Smith left.", 1),
        ("Wait?! Really?", 2),
        ("v1.2.3 is out. Upgrade!", 2),
        ("See Fig. 3 for more. Done.", 2),
        ("你好。世界！", 2),
        ("- one\n- two\n- three", 3),
        ("# Title\n\nOne sentence.", 1),
        ("Hi! :) Bye.", 2),
        ("U.S. Army came.", 1),
        ("J. K. Rowling", 1),
    ],
)
def test_sentences(text, sentences):
    assert len(DocumentView(text).whole.sentences or []) == sentences


@pytest.mark.parametrize(
    ("text", "paragraphs", "lines"),
    [
        ("a\n \nb", 2, 2),
        ("a\r\n\r\nb", 2, 2),
        ("a\n\n\n\nb", 2, 2),
        ("a\nb", 1, 2),
        ("# T\n\na\n\nb", 2, 3),
        ("before\n\n- one\n\n- two\n\nafter", 3, 4),
        ("\n\n \na\n\nb\n\n\n", 2, 2),
    ],
)
def test_paragraphs_and_lines(text, paragraphs, lines):
    whole = DocumentView(text).whole

    assert (whole.paragraph_count(ParagraphRule()), whole.line_count) == (paragraphs, lines)


def test_a_heading_counts_as_a_paragraph_only_where_it_is_asked():
    params = {"op": "eq", "value": 3}

    assert passes("paragraph_count", params, "# T\n\na\n\nb") is False
    assert passes("paragraph_count", params, "# T\n\na\n\nb", headings=True) is True


def test_final_marks_are_overlooked_only_where_it_is_asked():
    params = {"text": "Thank you"}

    assert passes("end_with", params, "Thank you.") is False
    assert passes("end_with", params, "Thank you.", ignore_final_punct=True) is True


@pytest.mark.parametrize(
    ("phrase", "match", "text", "expected"),
    [
        ("art", "word", "start", False),
        ("art", "word", "Art", True),
        ("the art", "exact", "in the art of", True),
        ("the art", "exact", "in The art of", False),
        ("C++", "word", "in C++ and C", True),
        ("C++", "word", "in C and D", False),
        ("$5", "word", "for $5 only", True),
        ("a.b", "word", "a.b", True),
        ("a.b", "word", "axb", False),
        ("ice cream", "word", "some ice\ncream", True),
        ('"quoted"', "word", "“quoted”", True),
        ("it's", "word", "it’s", True),
        ("caf\u0065\u0301", "word", "café", True),
        ("café", "word", "caf\u0065\u0301", True),
    ],
)
def test_phrases(phrase, match, text, expected):
    assert passes("contain", {"phrases": [phrase], "match": match}, text) is expected


def test_a_longer_word_is_not_the_one_to_avoid():
    assert passes("not_contain", {"phrases": ["bad"]}, "a badge") is True


@pytest.mark.parametrize("text", ["`tea`", "https://example.org/tea", "```\ntea\n```"])
def test_a_keyword_in_code_or_an_address_counts_unless_the_scope_leaves_it_out(text):
    assert passes("contain", {"phrases": ["tea"]}, text) is True
    assert passes("contain", {"phrases": ["tea"]}, text, scope="prose") is False


def test_occurrences_do_not_overlap():
    params = {"phrases": ["aa"], "match": "substring", "min_count": 2, "max_count": 2}

    assert passes("contain", params, "aaaa") is True
    assert passes("contain", params, "aaa") is False


@pytest.mark.parametrize(
    ("text", "expected"), [("iPhone 3", False), ("phone 3", True), ("123 你好", None)]
)
def test_lower_case(text, expected):
    assert passes("letter_case", {"form": "lower"}, text) is expected


@pytest.mark.parametrize("text", ['Here:\n```json\n{"a": 1}\n```', '{"a": 1, "a": 1}', "[NaN]"])
def test_json_and_nothing_else(text):
    assert passes("json_only", {}, text) is False


def test_a_paragraph_beyond_the_end_is_not_there():
    outcome = check("nth_paragraph_contain", {"n": 5, "text": "a"}, "a")

    assert outcome.result is CheckResult.FAILED


@pytest.mark.parametrize("constraint", EVERY_TYPE, ids=lambda one: one.type)
def test_an_empty_response_fails(constraint):
    outcome = check(constraint.type, dict(constraint.params), " \n ")

    assert outcome.result is CheckResult.FAILED


@pytest.mark.parametrize(("words", "expected"), [(2, False), (3, True), (5, True), (6, False)])
def test_between_has_both_its_ends(words, expected):
    params = {"op": "between", "value": 3, "high": 5}

    assert passes("word_count", params, "word " * words) is expected


def test_a_truncated_response_has_no_end_and_says_so():
    outcome = check("end_with", {"text": "you"}, "thank you", truncated=True)

    assert outcome.result is CheckResult.FAILED
    assert "cut off" in outcome.reason


@pytest.mark.slow
@pytest.mark.parametrize("constraint", EVERY_TYPE, ids=lambda one: one.type)
@pytest.mark.parametrize(
    "text",
    [
        "\x00\x01\x02\x1b[31m\x7f",
        "🙂",
        "שלום עולם, זה טקסט מימין לשמאל.",
        "‮abc‬ ‏def",
        "\ud800",
        "\u200b",
        "x" * 1_000_000,
        "The tea is good. " * 60_000,
    ],
    ids=["control", "emoji", "rtl", "overrides", "surrogate", "zero-width", "long", "megabyte"],
)
def test_odd_responses_get_a_verdict_and_a_reason_in_one_line(constraint, text):
    outcome = check(constraint.type, dict(constraint.params), text, truncated=True)

    assert outcome.reason
    assert "\n" not in outcome.reason
    assert all(0 <= start <= end <= len(text) for start, end in outcome.spans)
