"""CSV and TSV as spreadsheets write them."""

import csv
import io

import pytest

from apps.activity.errors import BadInput
from apps.prompts.reading import BadRow, Row, lines, table


@pytest.fixture
def small_limit(monkeypatch):
    monkeypatch.setattr(table, "ROW_MAX_CHARACTERS", 1000)
    monkeypatch.setattr(lines, "ROW_MAX_CHARACTERS", 1000)
    before = csv.field_size_limit(1000)
    yield
    csv.field_size_limit(before)


def test_a_record_may_span_lines_and_is_told_by_its_first(read):
    found = read('id,prompt\n1,"a\nb, ""c"""\n\n2,d\n', "file.csv")

    assert [(row.line, row.values) for row in found] == [
        (2, {"id": "1", "prompt": 'a\nb, "c"'}),
        (5, {"id": "2", "prompt": "d"}),
    ]


def test_carriage_returns_inside_quotes_are_kept(read):
    found = read('id,prompt\r\n1,"a\r\nb\rc"\r\n2,d\r\n', "file.csv")

    assert [row.values["prompt"] for row in found] == ["a\r\nb\rc", "d"]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_found_in_the_header(read, delimiter):
    output = io.StringIO()
    csv.writer(output, delimiter=delimiter).writerows(
        [["id", "prompt", "note"], ["1", "a, b; c | d", "x"]]
    )

    assert read(output.getvalue(), "file.txt")[0].values["prompt"] == "a, b; c | d"


def test_one_column_needs_no_delimiter(read):
    assert read("prompt\nWhy?\n", "file.csv")[0].values == {"prompt": "Why?"}


def test_unicode_line_separators_end_no_record(read):
    text = "a\u2028b\u2029c\u0085d"

    found = read(f"id,prompt\n1,{text}\n2,e\n", "file.csv")

    assert [(row.line, row.values["prompt"]) for row in found] == [(2, text), (3, "e")]


def test_a_field_of_two_megabytes_is_read(read):
    text = "x, " * 700_000

    assert read(f'id,prompt\n1,"{text}"\n', "file.csv")[0].values["prompt"] == text


def test_a_field_over_the_limit_is_refused_by_line(read, small_limit):
    with pytest.raises(BadInput, match="line 2 has a field longer than 1000 characters"):
        read('id,prompt\n1,"' + "x\n" * 600 + '"\n2,b\n', "file.csv")


def test_a_line_over_the_limit_is_refused_by_number(read, small_limit):
    with pytest.raises(BadInput, match="Line 2 of the table is longer than 1000 characters"):
        read("id,prompt\n1," + "x" * 1500 + "\n2,b\n", "file.csv")


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        ("1", "1 fields where the header has 2"),
        ("1,a,b", "3 fields where the header has 2"),
        ('1,"a"b', "not a record of this table: ',' expected after '\"'"),
    ],
)
def test_a_record_of_another_shape_is_rejected_and_the_rest_is_read(read, record, reason):
    found = read(f"id,prompt\n{record}\n2,c\n", "file.csv")

    assert found[0].line == 2
    assert found[0].reason.startswith(reason)
    assert isinstance(found[1], Row)


def test_a_quote_that_never_closes_is_told_where_it_opened(read):
    found = read('id,prompt\n1,a\n2,"b\n3,c\n', "file.csv")

    assert [type(row) for row in found] == [Row, BadRow]
    assert found[1].line == 3


def test_a_column_without_a_name_gets_one(read):
    assert read(",prompt\n0,a\n", "file.csv")[0].values == {"column_1": "0", "prompt": "a"}


def test_a_header_that_repeats_a_name_is_refused(read):
    with pytest.raises(BadInput, match="'prompt' 2 times"):
        read("prompt,id,prompt\na,1,b\n", "file.csv")


def test_a_byte_that_is_not_utf8_rejects_its_record(read):
    found = read("id,prompt\n1,한국어\n".encode() + b"2,\xe9t\xe9\n3,c\n", "file.csv")

    assert [type(row) for row in found] == [Row, BadRow, Row]
