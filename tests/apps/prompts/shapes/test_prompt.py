"""Which column plays which part, and what is kept beside."""

import pytest

from apps.prompts.reading import MissingColumn, Row, RowError
from apps.prompts.shapes import Shape, read_prompt
from rubricstudio.core.types import Message, Role

USER = {"role": "user", "content": "Why?"}


def prompt(shape=Shape.AUTO, table=False, mapped=(), **values):
    return read_prompt(Row(1, values, "", table), shape=shape, mapped=mapped)


def said(value):
    return [(message.role.value, message.content) for message in value.messages]


@pytest.mark.parametrize("name", ["prompt", "Query", "instruction", "question", "text", "input"])
def test_a_text_column_is_the_user_turn(name):
    assert said(prompt(**{name: "Why?"})) == [("user", "Why?")]


def test_an_instruction_is_followed_by_its_input():
    assert said(prompt(instruction="Shorten.", input="A long text.")) == [
        ("user", "Shorten.\n\nA long text.")
    ]


def test_an_instruction_that_a_person_named_is_followed_by_its_input_too():
    mapped = (("task", "instruction"),)

    assert said(prompt(mapped=mapped, instruction="Shorten.", input="A long text.")) == [
        ("user", "Shorten.\n\nA long text.")
    ]


@pytest.mark.parametrize("name", ["system", "system_prompt"])
def test_a_system_column_comes_first(name):
    assert said(prompt(prompt="Why?", **{name: "Be brief."})) == [
        ("system", "Be brief."),
        ("user", "Why?"),
    ]


def test_two_different_system_prompts_are_refused():
    messages = [{"role": "developer", "content": "Be long."}, USER]

    with pytest.raises(RowError, match="differs from the system message"):
        prompt(messages=messages, system="Be brief.")


@pytest.mark.parametrize("name", ["prompt", "messages", "conversation"])
def test_a_list_of_messages_is_the_conversation(name):
    turns = [USER, {"role": "assistant", "content": "So."}, {"role": "user", "content": "And?"}]

    assert [role for role, _text in said(prompt(**{name: turns}))] == ["user", "assistant", "user"]


def test_an_answer_after_the_last_user_turn_becomes_a_reference():
    value = prompt(messages=[USER, {"role": "assistant", "content": "Because."}])

    assert said(value) == [("user", "Why?")]
    assert value.extras.references == ["Because."]


def test_turns_without_answers_are_two_user_turns():
    value = prompt(question_id=81, category="writing", turns=["Write.", "Rewrite."])

    assert said(value) == [("user", "Write."), ("user", "Rewrite.")]
    assert (value.external_id, value.columns) == ("81", {"category": "writing"})


def test_a_prompt_beside_messages_is_what_is_asked():
    value = prompt(prompt="Why?", messages=[USER, {"role": "assistant", "content": "So."}])

    assert said(value) == [("user", "Why?")]


def test_a_cell_may_hold_messages_as_json():
    cell = '[{"role": "user", "content": "Why?"}]'

    assert said(prompt(table=True, prompt=cell)) == [("user", "Why?")]
    assert said(prompt(prompt=cell)) == [("user", cell)]


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ({"prompt": None}, "the prompt is null"),
        ({"prompt": True}, "prompt is a boolean: a text or a list of messages is needed"),
        ({"prompt": 7}, "prompt is a number"),
        ({"prompt": {"a": 1}}, "prompt is an object"),
        ({"prompt": " \n"}, "prompt is empty"),
        ({"prompt": []}, "prompt is empty"),
        ({"prompt": ["Why?"]}, "message 1: a message is an object"),
        ({"messages": "Why?"}, "messages is a text"),
        ({"messages": [{"role": "system", "content": "Be."}]}, "needs a user turn"),
        (
            {"messages": [USER, *[{"role": "assistant", "content": "a"}] * 2]},
            "messages ends with the role assistant",
        ),
        ({"turns": ["a", 2]}, "turns is not a list of texts"),
        ({"prompt": "a\ud800"}, "half of a surrogate pair"),
        ({"prompt": "Why?", "id": True}, "id is a boolean, and an id is a text or a number"),
        ({"prompt": "Why?", "id": ["a"]}, "id is a list"),
        ({"prompt": "Why?", "id": "x" * 201}, "id has 201 characters"),
        ({"prompt": "Why?", "id": "a\x00"}, "id holds a NUL character"),
        ({"prompt": "Why?", "id": "a\ud800"}, "id holds half of a surrogate pair"),
        ({"prompt": "Why?", "tools": "search"}, "tools is a text, not a list"),
    ],
)
def test_a_row_that_makes_no_prompt_says_why(values, reason):
    with pytest.raises(RowError) as refused:
        prompt(**values)

    assert reason in refused.value.reason


def test_a_row_without_a_prompt_column_names_the_columns_it_has():
    with pytest.raises(MissingColumn, match="found: story, rating"):
        prompt(story="Once.", rating=3)


def test_a_person_may_name_the_column_of_a_part():
    value = prompt(mapped=(("task", "Story"), ("id", "no")), Story="Once.", no=7, prompt="x", id=1)

    assert said(value) == [("user", "Once.")]
    assert (value.external_id, value.columns) == ("7", {"prompt": "x", "id": 1})


@pytest.mark.parametrize(
    ("values", "key"),
    [
        ({"id": 0}, "0"),
        ({"key": "a "}, "a"),
        ({"uid": 3.0}, "3"),
        ({"prompt_id": "p", "id": 4}, "p"),
        ({"id": None, "index": 5}, "5"),
        ({"id": ""}, None),
        ({}, None),
    ],
)
def test_the_external_id_is_the_likeliest_id_column_as_text(values, key):
    assert prompt(prompt="Why?", **values).external_id == key


def test_unknown_columns_are_kept_under_their_names():
    value = prompt(prompt="Why?", Level=3, meta={"a": [1]}, canary="x", note=None)

    assert value.columns == {"Level": 3, "meta": {"a": [1]}, "canary": "x", "note": None}


def test_numbers_in_a_table_become_numbers_and_other_cells_stay_text():
    cells = {"a": "3", "b": "-0.5", "c": "007", "d": "1e5", "e": "", "f": "NaN", "g": "9" * 40}

    value = prompt(table=True, prompt="Why?", **cells)

    assert value.columns == cells | {"a": 3, "b": -0.5}


def test_domain_tags_and_split_are_read_and_kept():
    value = prompt(prompt="Why?", domain1="Law", domain2="Contract", split="dev")

    assert value.extras[4:] == ("Law", ["Contract"], "validation")
    assert value.columns == {"domain1": "Law", "domain2": "Contract", "split": "dev"}


@pytest.mark.parametrize(
    ("tags", "read"),
    [
        (["a", "b", "a", 3, "x" * 61, "c\n"], ["a", "b", "c"]),
        ("a; b,c", ["a", "b", "c"]),
        ({"a": 1}, []),
    ],
)
def test_tags_are_short_texts_once_each(tags, read):
    assert prompt(prompt="Why?", tags=tags).extras.tags == read


def test_a_shape_that_is_forced_leaves_what_it_does_not_know():
    value = prompt(shape=Shape.TEXT, prompt="Why?", instruction_id_list=["a:b"], kwargs=[{}])

    assert value.extras.given == {}
    assert value.columns == {"instruction_id_list": ["a:b"], "kwargs": [{}]}


@pytest.mark.parametrize(
    ("shape", "values"),
    [
        (Shape.MESSAGES, {"prompt": "Why?"}),
        (Shape.TEXT, {"prompt": [USER]}),
        (Shape.MT_BENCH, {"prompt": "Why?"}),
        (Shape.IFEVAL, {"prompt": "Why?"}),
        (Shape.HEALTHBENCH, {"prompt": "Why?"}),
        (Shape.WRITINGBENCH, {"query": "Why?"}),
    ],
)
def test_a_shape_that_is_forced_refuses_another(shape, values):
    with pytest.raises(RowError):
        prompt(shape=shape, **values)


def test_tool_definitions_are_kept_apart():
    tools = [{"name": "search"}]

    assert prompt(prompt="Why?", tools=tools).extras.tools == tools
    assert Message(Role.USER, "Why?") in prompt(prompt="Why?", tools=tools).messages
