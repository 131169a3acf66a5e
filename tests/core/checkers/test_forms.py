"""JSON, Markdown, lists, headings, tables, emphasis and code."""

import pytest

from rubricstudio.core.types import CheckResult
from tests.core.checkers.checking import check, found, passes

TABLE = "Prices:\n\n| Tea | Price |\n|---|---:|\n| Green | 3 |\n| Black | **2** |\n\nThat is all."


@pytest.mark.parametrize(
    ("response", "expected"),
    [
        ('{"a": 1}', True),
        ("[1, 2]", True),
        ('"text"', True),
        ('```json\n{"a": 1}\n```', True),
        ('```\n{"a": 1}\n```', True),
        ('Here it is:\n```json\n{"a": 1}\n```', False),
        ('```json\n{"a": 1}\n```\nDone.', False),
        ('```json\n{"a": 1}\n```\n```json\n{"b": 1}\n```', False),
        ('{"a": 1, "a": 2}', False),
        ('{"a": NaN}', False),
        ('{"a": -Infinity}', False),
        ("{'a': 1}", False),
        ('{"a": 1,}', False),
        ("[" * 100_000, False),
        ("[" * 100_000 + "]" * 100_000, False),
        ("1" * 5_000, False),
        ('{"a": "```"}', True),
    ],
)
def test_json_is_the_whole_response(response, expected):
    assert passes("json_only", {}, response) is expected


@pytest.mark.parametrize(
    ("params", "response", "reason"),
    [
        ({}, 'Sure!\n```json\n{"a": 1}\n```', 'text stands before the code fence: "Sure!"'),
        ({}, '{"a": 1, "a": 2}', 'the key "a" stands twice in one object'),
        ({}, "[NaN]", "NaN is no JSON value"),
        ({}, '{"a" 1}', "it is no JSON: expecting ':' delimiter at line 1, column 6"),
        ({"form": "object"}, "[1]", "it is a JSON array, an object asked"),
        ({"keys": ["b"]}, '{"a": 1}', 'the key "b" is missing'),
        ({"fence": False}, "```\n1\n```", "a code fence stands around it, bare JSON asked"),
    ],
)
def test_what_is_no_json_says_why(params, response, reason):
    assert check("json_only", params, response).reason == reason


def test_each_object_of_an_array_has_the_keys():
    assert passes("json_only", {"keys": ["a"]}, '[{"a": 1}, {"a": 2}]') is True
    assert passes("json_only", {"keys": ["a"]}, '[{"a": 1}, {"b": 2}]') is False


@pytest.mark.parametrize(
    ("params", "response", "count"),
    [
        ({}, "- one\n- two\n- three", 3),
        ({}, "- one\n  - inner\n- two", 2),
        ({"levels": "all"}, "- one\n  - inner\n- two", 3),
        ({}, "1. one\n2. two\n\n* three", 3),
        ({"style": "bullets"}, "1. one\n2. two\n\n* three", 1),
        ({"style": "numbers"}, "1. one\n2. two\n\n* three", 2),
        ({}, "text\n---\ntext", 0),
        ({}, "**bold** text\n*italic* text", 0),
        ({}, "```\n- code\n```", 0),
        ({}, "- one\n\n- two\n\n\n- three", 3),
        ({}, "• one\n• two", 2),
    ],
)
def test_list_items_are_counted_at_their_level(params, response, count):
    assert passes("list_item_count", {"op": "eq", "value": count, **params}, response) is True


def test_list_items_are_shown_by_their_first_line():
    response = "Buy:\n\n- tea\n  and milk\n- bread"

    outcome = check("list_item_count", {"op": "eq", "value": 3, "style": "bullets"}, response)

    assert outcome.reason == "2 bullet points, exactly 3 asked"
    assert found(outcome, response) == ["- tea", "- bread"]


@pytest.mark.parametrize(
    ("params", "response", "count"),
    [
        ({}, "# T\n\na\n\n## U\n\nb", 2),
        ({"level": 2}, "# T\n\na\n\n## U\n\nb", 1),
        ({}, "Title\n===\n\na", 1),
        ({"level": 1}, "Title\n===\n\na", 1),
        ({}, "#hashtag", 0),
        ({}, "```\n# comment\n```", 0),
    ],
)
def test_headings_are_counted_by_level(params, response, count):
    assert passes("heading_count", {"op": "eq", "value": count, **params}, response) is True


@pytest.mark.parametrize(
    ("style", "response", "count"),
    [
        ("any", "**a** *b* __c__ _d_", 4),
        ("bold", "**a** *b* __c__ _d_", 2),
        ("italic", "**a** *b* __c__ _d_", 2),
        ("any", "***both***", 1),
        ("any", "* item\n* other", 0),
        ("any", "snake_case_word 2*3*4", 1),
        ("any", "`*code*`", 0),
        ("any", r"\*plain\*", 0),
    ],
)
def test_highlighted_parts_are_counted(style, response, count):
    params = {"op": "eq", "value": count, "style": style}

    assert passes("highlight_count", params, response) is True


def test_code_blocks_are_counted_by_language():
    response = "```python\nx\n```\n\n```sql\ny\n```\n\n```\nz\n```"

    assert passes("code_block_count", {"op": "eq", "value": 3}, response) is True
    assert (
        passes("code_block_count", {"op": "eq", "value": 1, "language": "Python"}, response) is True
    )


@pytest.mark.parametrize(
    "response", ["# T", "- a", "a **b** c", "[a](b.c)", "use `x`", "```\nx\n```"]
)
def test_markdown_is_used_or_it_is_plain_text(response):
    assert passes("markdown", {"use": "some"}, response) is True
    assert passes("markdown", {"use": "none"}, response) is False
    assert passes("markdown", {"use": "some"}, "plain text, 2 * 3 = 6") is False
    assert passes("markdown", {"use": "none"}, "plain text, 2 * 3 = 6") is True


@pytest.mark.parametrize(
    ("params", "expected"),
    [
        ({}, True),
        ({"columns": 2}, True),
        ({"columns": 3}, False),
        ({"rows": 2}, True),
        ({"rows": 3}, False),
        ({"headers": ["tea", "PRICE"]}, True),
        ({"headers": ["price", "tea"]}, False),
    ],
)
def test_a_table_has_columns_rows_and_a_head(params, expected):
    assert passes("table", params, TABLE) is expected


def test_a_missing_table_says_which_was_asked_for():
    outcome = check("table", {"columns": 3, "rows": 2}, "none | here")

    assert outcome.result is CheckResult.FAILED
    assert outcome.reason == "no table, one with 3 columns and 2 rows asked"


def test_a_table_in_code_is_none():
    assert passes("table", {}, f"```\n{TABLE}\n```") is False


def test_the_table_is_shown_where_it_stands():
    outcome = check("table", {}, TABLE)

    assert found(outcome, TABLE) == [
        "| Tea | Price |\n|---|---:|\n| Green | 3 |\n| Black | **2** |"
    ]
