"""A JSON array is read piece by piece, and one bad item does not take the others with it."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.prompts.reading import BadRow, Row, array
from tests.apps.prompts.reading.test_lines import JSON, SLOW_IS_FINE, TEXTS


@pytest.fixture(params=[1, 7, 64, 2**20])
def piece(request, monkeypatch):
    """How much is read at a time: whatever it is, the rows are the same."""
    monkeypatch.setattr(array, "PIECE_CHARACTERS", request.param)


def values(found):
    return [row.values if isinstance(row, Row) else row.reason[:24] for row in found]


@pytest.mark.parametrize("indent", [None, 2])
@given(
    objects=st.lists(st.dictionaries(TEXTS, JSON, min_size=1, max_size=3), min_size=1, max_size=5)
)
@settings(suppress_health_check=SLOW_IS_FINE, max_examples=15)
def test_what_json_writes_is_read_back(read, piece, indent, objects):
    found = read(json.dumps(objects, indent=indent, ensure_ascii=False))

    assert [row.values for row in found] == objects


def test_an_item_is_told_by_the_line_it_begins_on(read, piece):
    found = read(json.dumps([{"a": 1}, {"a": 2}], indent=1))

    # 1 [   2 {   3 "a": 1   4 },   5 {
    assert [row.line for row in found] == [2, 5]


def test_a_bad_item_is_rejected_and_the_others_are_read(read, piece):
    found = read('[{"a": 1}, {"a" 2, "b": ["]"]}, 3, null, {"a": NaN}, {"a": 4, "a": 5}, {"a": 6}]')

    assert values(found) == [
        {"a": 1},
        "not valid JSON: Expectin",
        "a row is an object with ",
        "a row is an object with ",
        "NaN is not a JSON number",
        "the key 'a' appears 2 ti",
        {"a": 6},
    ]


@pytest.mark.parametrize("end", ["", ",", ', {"a": "', ', {"a": [1, 2}', " garbage"])
def test_an_array_that_breaks_off_keeps_what_came_before(read, piece, end):
    found = read('[{"a": 1}' + end)

    assert isinstance(found[0], Row)
    assert "the array breaks off here" in found[-1].reason


def test_text_after_the_end_is_told(read, piece):
    found = read('[{"a": 1}]\n{"a": 2}')

    assert (found[1].line, found[1].reason) == (2, "text after the end of the array.")


def test_brackets_and_quotes_inside_strings_do_not_end_an_item(read, piece):
    text = 'a "quoted" ] } , \\ " [ {'

    found = read(json.dumps([{"prompt": text}, {"prompt": "b"}]))

    assert [row.values["prompt"] for row in found] == [text, "b"]


def test_an_item_longer_than_memory_should_hold_stops_the_reading(read, monkeypatch):
    monkeypatch.setattr(array, "ROW_MAX_CHARACTERS", 1000)
    monkeypatch.setattr(array, "PIECE_CHARACTERS", 100)

    found = read(json.dumps([{"a": 1}, {"a": "x" * 5000}, {"a": 2}]))

    assert [type(row) for row in found] == [Row, BadRow]
    assert "longer than 1000 characters" in found[1].reason


def test_a_broken_string_of_a_megabyte_takes_no_longer_than_reading_it(read):
    found = read('[{"a": "' + 'x\\"' * 500_000)

    assert isinstance(found[0], BadRow)
