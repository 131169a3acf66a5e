"""Passages in their order, and reference answers."""

import pytest

from apps.prompts.reading import Row, RowError
from apps.prompts.shapes import read_prompt


def extras(table=False, **values):
    return read_prompt(Row(1, {"prompt": "Why?", **values}, "", table)).extras


def columns(**values):
    return read_prompt(Row(1, {"prompt": "Why?", **values}, "")).columns


@pytest.mark.parametrize("name", ["passages", "documents", "contexts", "context"])
def test_texts_are_passages_in_their_order(name):
    value = extras(**{name: ["One.", "Two."]})

    assert [passage.text for passage in value.passages] == ["One.", "Two."]


def test_a_passage_has_a_title_a_text_and_a_url():
    passage = {
        "title": "Tides",
        "content": "The Moon pulls.",
        "link": "https://example.org",
        "n": 1,
    }

    assert extras(passages=[passage]).passages == [
        ("Tides", "The Moon pulls.", "https://example.org")
    ]


def test_one_text_is_one_passage():
    assert extras(context="[1] The Moon pulls.").passages == [("", "[1] The Moon pulls.", "")]


@pytest.mark.parametrize("value", [3, {"sentences": []}, [{"title": "a"}], ["a", 3], " "])
def test_what_is_no_passage_stays_a_column(value):
    assert columns(passages=value) == {"passages": value}


def test_a_title_that_is_too_long_is_refused():
    with pytest.raises(RowError, match="a title over 500"):
        extras(passages=[{"title": "x" * 501, "text": "a"}])


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        ({"reference_answer": "So."}, ["So."]),
        ({"reference": ["One.", None, "Two."]}, ["One.", "Two."]),
        ({"answer": 42}, ["42"]),
        ({"answer": "[1, 2]"}, ["[1, 2]"]),
        ({"reference": " "}, []),
        ({"answer": True}, []),
        ({"answer": {"text": "So."}}, []),
    ],
)
def test_reference_answers_are_texts(values, texts):
    assert extras(**values).references == texts


def test_a_cell_may_hold_several_reference_answers():
    assert extras(table=True, reference='["One.", "Two."]').references == ["One.", "Two."]


def test_ideal_completions_become_references_and_stay_a_column():
    data = {"ideal_completion": "A.", "ideal_completions_ref_completions": ["B.", None]}

    assert extras(ideal_completions_data=data).references == ["A.", "B."]
    assert columns(ideal_completions_data=data) == {"ideal_completions_data": data}
