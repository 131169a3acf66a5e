"""Other people's chat messages become typed ones."""

import pytest

from apps.prompts.reading import RowError
from apps.prompts.shapes.messages import read_messages


def read(*items):
    return [message.to_dict() for message in read_messages(list(items))]


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("system", "system"),
        ("developer", "system"),
        ("user", "user"),
        ("human", "user"),
        ("assistant", "assistant"),
        ("gpt", "assistant"),
        ("tool", "tool_result"),
        ("reasoning", "reasoning"),
    ],
)
def test_a_role_has_one_name_here(theirs, ours):
    assert read({"role": theirs, "content": "a"}) == [{"role": ours, "content": "a"}]


def test_from_and_value_are_read_as_role_and_content():
    assert read({"from": "human", "value": "a"}) == [{"role": "user", "content": "a"}]


def test_text_parts_are_joined():
    parts = [{"type": "text", "text": "a"}, {"type": "input_text", "text": "b"}, "c"]

    assert read({"role": "user", "content": parts})[0]["content"] == "abc"


def test_a_tool_call_follows_the_text_and_a_result_names_its_call():
    call = {"id": "c1", "function": {"name": "search", "arguments": '{"q": 1}'}}

    messages = read(
        {"role": "assistant", "content": "Let me see.", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "found"},
    )

    assert messages == [
        {"role": "assistant", "content": "Let me see."},
        {"role": "tool_call", "content": '{"q": 1}', "name": "search", "call_id": "c1"},
        {"role": "tool_result", "content": "found", "call_id": "c1"},
    ]


@pytest.mark.parametrize("content", [None, ""])
def test_a_call_without_a_text_is_one_message(content):
    call = {"name": "search", "arguments": {"q": "é"}}

    messages = read({"role": "assistant", "content": content, "function_call": call})

    assert messages == [{"role": "tool_call", "content": '{"q": "é"}', "name": "search"}]


def test_reasoning_comes_before_what_was_said():
    messages = read({"role": "assistant", "reasoning_content": "Hm.", "content": "Yes."})

    assert [message["role"] for message in messages] == ["reasoning", "assistant"]


def test_our_own_messages_are_read_back_as_they_are():
    ours = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Why?"},
        {"role": "reasoning", "content": "Hm."},
        {"role": "tool_call", "content": "{}", "name": "search", "call_id": "c1"},
        {"role": "tool_result", "content": "", "name": "search", "call_id": "c1"},
    ]

    assert read(*ours) == ours


@pytest.mark.parametrize(
    ("item", "reason"),
    [
        ("a", "a message is an object with role and content, and this is a text"),
        ({"content": "a"}, "unknown role None"),
        ({"role": "critic", "content": "a"}, "unknown role 'critic'"),
        ({"role": ["user"], "content": "a"}, "unknown role"),
        ({"role": "user"}, "the content is null, not a text"),
        ({"role": "user", "content": False}, "the content is a boolean"),
        ({"role": "user", "content": [{"type": "image_url"}]}, "a part of the content is 'image_"),
        ({"role": "user", "content": "\udc00"}, "half of a surrogate pair"),
        ({"role": "assistant", "content": "", "tool_calls": "x"}, "tool_calls is a text"),
        ({"role": "assistant", "content": "", "tool_calls": ["x"]}, "a tool call is an object"),
        ({"role": "tool_call", "content": "{}"}, "a tool call has no name"),
        ({"role": "tool", "content": "a", "tool_call_id": 3}, "the call_id of a message is 3"),
    ],
)
def test_a_message_that_cannot_be_read_is_told_by_its_place(item, reason):
    with pytest.raises(RowError) as refused:
        read({"role": "user", "content": "a"}, item)

    assert refused.value.reason.startswith("message 2: ")
    assert reason in refused.value.reason
