"""What is hashed and stored is the canonical form, however it was arrived at."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.prompts.reading import RowError
from apps.prompts.services.prepared import as_json, messages_json
from rubricstudio.core.canonical import canonical_json
from rubricstudio.core.types import Message, Role, messages_hash
from tests.apps.prompts.reading.test_lines import JSON

TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"))


@given(value=st.dictionaries(TEXTS, JSON, max_size=5))
@settings(deadline=None, max_examples=60)
def test_columns_have_their_canonical_form(value):
    canonical = canonical_json(value).decode()
    if "\x00" in str(value) or "\\u0000" in canonical:
        return

    assert as_json(value, "columns") == canonical


@given(texts=st.lists(TEXTS, min_size=1, max_size=3))
@settings(deadline=None)
def test_messages_have_their_canonical_form(texts):
    messages = [Message(Role.USER, text) for text in texts]
    messages.append(Message(Role.TOOL_CALL, texts[0], name="search", call_id="c"))

    text = messages_json(messages)

    assert json.loads(text) == [message.to_dict() for message in messages]
    assert text.encode() == canonical_json([message.to_dict() for message in messages])
    assert len(messages_hash(messages)) == 64


@pytest.mark.parametrize(
    "value", [{"a": float("inf")}, {"a": "\ud800"}, {"\ud800": 1}, {"a": "\x00"}]
)
def test_what_cannot_be_stored_names_its_part(value):
    with pytest.raises(RowError, match="columns"):
        as_json(value, "columns")
