"""JSONL: a bad line is told by line, column and reason, and the rest is read."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from apps.prompts.reading import BadRow, Row, rows
from apps.prompts.reading.values import DEPTH_MAX

SEPARATORS = "a\u2028b\u2029c\u0085d\x0be\x0cf\x1cg\x1dh\x1ei"
SLOW_IS_FINE = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)


@given(
    objects=st.lists(st.dictionaries(TEXTS, JSON, min_size=1, max_size=4), min_size=1, max_size=6)
)
@settings(suppress_health_check=SLOW_IS_FINE, max_examples=40)
def test_what_json_writes_is_read_back(read, objects):
    found = read(objects)

    assert [row.values for row in found] == objects


@pytest.mark.parametrize("ascii", [True, False])
def test_only_a_line_feed_ends_a_line(read, ascii):
    content = json.dumps({"prompt": SEPARATORS}, ensure_ascii=ascii) + '\n{"prompt": "next"}\n'

    found = read(content)

    assert [(row.line, row.values["prompt"]) for row in found] == [(1, SEPARATORS), (2, "next")]


def test_lines_may_end_as_windows_ends_them(read):
    found = read(b'{"prompt": "a"}\r\n\r\n{"prompt": "b\\r\\n"}\r\n')

    assert [(row.line, row.values["prompt"]) for row in found] == [(1, "a"), (3, "b\r\n")]


def test_a_broken_line_is_told_by_line_column_reason_and_its_beginning(read):
    line = '{"prompt": "a" "id": 1}' + " " * 200

    found = read(f'{{"prompt": "x"}}\n{line}\n{{"prompt": "y"}}\n')

    assert [type(row) for row in found] == [Row, BadRow, Row]
    assert found[1] == BadRow(2, 16, "not valid JSON: Expecting ',' delimiter", line[:120])


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('["a"]', "a row is an object with keys, and this is a list."),
        ('"a"', "a row is an object with keys, and this is a text."),
        ("null", "a row is an object with keys, and this is null."),
        ("true", "a row is an object with keys, and this is a boolean."),
        ("7", "a row is an object with keys, and this is a number."),
        ('{"a": NaN}', "NaN is not a JSON number"),
        ('{"a": [-Infinity]}', "-Infinity is not a JSON number"),
        ('{"a": 1, "a": 2}', "the key 'a' appears 2 times"),
        ('{"x": {"b": 1, "c": 0, "b": 2}}', "the key 'b' appears 2 times"),
        ('{"a": ' + "9" * 5000 + "}", "not valid JSON: Exceeds the limit"),
        ('{"a": ' + "[" * DEPTH_MAX + "]" * DEPTH_MAX + "}", "nested more than 64 levels deep"),
        ('{"a": ' + "[" * 200_000 + "]" * 200_000 + "}", "nested more than 64 levels deep"),
        ('{"a": "\tb"}', "not valid JSON: a line break or another control character"),
        ('{"a": "b', "not valid JSON: a line break or another control character stands inside"),
        ("{'a': 1}", "not valid JSON: Expecting property name"),
    ],
)
def test_a_line_that_is_no_sound_object_is_rejected(read, line, reason):
    found = read(f'{{"prompt": "x"}}\n{line}\n')

    assert found[1].line == 2
    assert found[1].reason.startswith(reason)


def test_nesting_that_a_row_may_have_is_read(read):
    deep = '{"a": ' + "[" * (DEPTH_MAX - 1) + "]" * (DEPTH_MAX - 1) + "}"

    assert isinstance(read(deep + "\n" + deep)[1], Row)


def test_many_brackets_in_a_text_are_not_nesting(read):
    assert isinstance(read([{"prompt": "[{" * 1000}])[0], Row)


def test_a_field_of_two_megabytes_is_read(read):
    text = "é" * 2_000_000

    assert read([{"prompt": text}])[0].values["prompt"] == text


def test_a_line_longer_than_memory_should_hold_is_rejected_and_the_next_is_read(read, monkeypatch):
    monkeypatch.setattr("apps.prompts.reading.lines.ROW_MAX_CHARACTERS", 100)

    found = read([{"prompt": "x" * 500}, {"prompt": "y"}, {"prompt": "z" * 80}])

    assert found[0].reason == "longer than 100 characters: shorten or split it."
    assert [(row.line, row.values["prompt"]) for row in found[1:]] == [(2, "y"), (3, "z" * 80)]


def test_an_excerpt_can_be_stored_whatever_the_line_holds():
    text = rows.storable("a\x00b\ud800c\udce9")

    assert text == "a␀b\\ud800c\\udce9"
