"""A prompt made ready for the database: canonical JSON, hashes and excerpt, no queries."""

from __future__ import annotations

import json
from collections.abc import Sequence
from json.encoder import encode_basestring
from typing import Any, NamedTuple

from apps.prompts.reading import Row, RowError
from apps.prompts.shapes import NO_EXTRAS, Extras, Shape, read_prompt
from apps.prompts.shapes.columns import Mapped, nul_reason
from apps.prompts.shapes.texts import EXCERPT_CHARACTERS, text_sha256
from rubricstudio.core.canonical import canonical_json, sha256_hex
from rubricstudio.core.errors import CoreError
from rubricstudio.core.types import Message

# The canonical form of an object of the parts: keys sorted, no white space.
CONTENT = '{"columns":%s,"given":%s,"messages":%s,"passages":%s,"references":%s,"tools":%s}'
# An object without these has the canonical form that this encoder gives, ten times as fast.
COMPOUND = {float, dict, list}
FLAT = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"))


class PreparedPrompt(NamedTuple):
    """Everything that is stored of a prompt but its ids and numbers; JSON as canonical text."""

    line: int
    key: str
    has_external_id: bool
    messages: str
    columns: str
    tools: str
    given: str
    content_sha256: str
    text_sha256: str
    excerpt: str
    characters: int
    extras: Extras
    column_names: tuple[str, ...]


def prepare_prompt(row: Row, *, shape: Shape, mapped: Mapped) -> PreparedPrompt:
    """Read a row and make it ready. Raises RowError for what no prompt or database can hold."""
    value = read_prompt(row, shape=shape, mapped=mapped)
    messages, columns = messages_json(value.messages), as_json(value.columns, "columns")
    extras = NO_EXTRAS_JSON if value.extras is NO_EXTRAS else _extras_json(value.extras)
    content = CONTENT % (columns, extras.given, messages, *extras[1:])
    return PreparedPrompt(
        row.line,
        value.external_id or sha256_hex(messages.encode()),
        value.external_id is not None,
        messages,
        columns,
        extras.tools,
        extras.given,
        sha256_hex(content.encode()),
        text_sha256(value.asked),
        value.asked[:EXCERPT_CHARACTERS],
        sum([len(message.content) for message in value.messages]),
        value.extras,
        tuple(value.columns),
    )


class _ExtrasJson(NamedTuple):
    given: str
    passages: str
    references: str
    tools: str


NO_EXTRAS_JSON = _ExtrasJson("{}", "[]", "[]", "[]")


def _extras_json(extras: Extras) -> _ExtrasJson:
    return _ExtrasJson(
        as_json(extras.given, "given"),
        as_json(extras.passages, "passages"),
        as_json(extras.references, "references"),
        as_json(extras.tools, "tools"),
    )


def messages_json(messages: Sequence[Message]) -> str:
    """The canonical form of a conversation, that its sha256 and the database share."""
    return _checked(f"[{','.join(map(_message_json, messages))}]", "messages")


def _message_json(message: Message) -> str:
    """What canonical_json makes of Message.to_dict, without looking at every value's type."""
    if message.name or message.call_id:
        return canonical_json(message.to_dict()).decode()
    return f'{{"content":{encode_basestring(message.content)},"role":"{message.role.value}"}}'


def as_json(value: Any, name: str) -> str:
    """The canonical JSON of a part of a row. Raises RowError for what cannot be stored."""
    if not value:
        return "{}" if isinstance(value, dict) else "[]"
    try:
        if isinstance(value, dict) and not COMPOUND.intersection(map(type, value.values())):
            text = FLAT.encode(value)
            text.encode()
        else:
            text = canonical_json(value).decode()
    except (CoreError, UnicodeEncodeError) as error:
        raise RowError(f"{name}: {error}") from None
    return _checked(text, name)


def _checked(text: str, name: str) -> str:
    if "\\u0000" in text and _holds_nul(json.loads(text)):
        raise RowError(nul_reason(name))
    return text


def _holds_nul(value: Any) -> bool:
    if isinstance(value, dict):
        return any("\x00" in key or _holds_nul(item) for key, item in value.items())
    if isinstance(value, list):
        return any(map(_holds_nul, value))
    return isinstance(value, str) and "\x00" in value
