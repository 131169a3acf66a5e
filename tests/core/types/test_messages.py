import pytest

from rubricstudio.core.errors import MessageError
from rubricstudio.core.types import Message, Role, messages_hash


@pytest.mark.parametrize(
    "message",
    [
        Message(Role.SYSTEM, "Be brief."),
        Message(Role.USER, ""),
        Message(Role.TOOL_CALL, '{"city":"Graz"}', name="weather", call_id="c1"),
        Message(Role.TOOL_RESULT, "rain", call_id="c1"),
    ],
)
def test_a_message_reads_back_from_its_canonical_form(message):
    assert Message.from_dict(message.to_dict()) == message


def test_a_canonical_message_holds_names_only_where_there_are_any():
    assert Message(Role.USER, "Hi").to_dict() == {"role": "user", "content": "Hi"}


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        ({"role": "robot", "content": "x"}, "role 'robot'; known are system, user, assistant"),
        ({"content": "x"}, "the role None"),
        ({"role": "user", "content": None}, "the content of a message is None"),
        ({"role": "user", "content": "\udc00"}, "half of a surrogate pair at character 0"),
        ({"role": "tool_call", "content": "{}"}, "a tool call has no name"),
        ({"role": "user", "content": "x", "name": "y"}, "has no tool name and no call id"),
        ("user: x", "a message is a mapping with role and content"),
    ],
)
def test_what_no_conversation_can_hold_is_refused_with_a_sentence(data, sentence):
    with pytest.raises(MessageError, match=sentence):
        Message.from_dict(data)


def test_keys_that_a_message_does_not_know_are_left_to_the_caller():
    message = Message.from_dict({"role": "user", "content": "x", "weight": 1})

    assert message == Message(Role.USER, "x")


def test_the_hash_of_a_conversation_tells_roles_apart():
    asked = [Message(Role.USER, "x")]
    said = [Message(Role.ASSISTANT, "x")]

    assert messages_hash(asked) != messages_hash(said)
