"""Chat messages as others write them, made into our typed ones.

`developer` becomes system; a call of a tool becomes a message of its own, before which stands the
text the model wrote, if any; reasoning beside the content becomes a reasoning message before it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from django.utils.translation import gettext as _

from apps.prompts.reading import RowError, kind_of
from rubricstudio.core.errors import MessageError
from rubricstudio.core.types import Message, Role

ROLES = {
    "system": Role.SYSTEM,
    "developer": Role.SYSTEM,
    "user": Role.USER,
    "human": Role.USER,
    "assistant": Role.ASSISTANT,
    "gpt": Role.ASSISTANT,
    "model": Role.ASSISTANT,
    "bot": Role.ASSISTANT,
    "tool": Role.TOOL_RESULT,
    "function": Role.TOOL_RESULT,
    "tool_call": Role.TOOL_CALL,
    "tool_result": Role.TOOL_RESULT,
    "reasoning": Role.REASONING,
}
TEXT_PARTS = {"text", "input_text", "output_text"}
REASONING = ("reasoning", "reasoning_content", "thinking")


def read_messages(items: list[Any]) -> list[Message]:
    """The conversation of a list of messages. Raises RowError naming the message by its place."""
    messages: list[Message] = []
    for place, item in enumerate(items, 1):
        try:
            messages.extend(_read_message(item))
        except (RowError, MessageError) as error:
            raise RowError(
                _("message %(place)d: %(reason)s") % {"place": place, "reason": error}
            ) from None
    return messages


def text_message(role: Role, text: str) -> Message:
    """One message. Raises RowError for text that UTF-8 cannot hold."""
    try:
        return Message(role, text)
    except MessageError as error:
        raise RowError(str(error)) from None


def _read_message(item: Any) -> Iterator[Message]:
    if not isinstance(item, dict):
        raise RowError(
            _("a message is an object with role and content, and this is %(kind)s.")
            % {"kind": kind_of(item)}
        )
    role = _role(item.get("role", item.get("from")))
    calls = _calls(item)
    content = _content(item.get("content", item.get("value")), optional=bool(calls))
    for name in REASONING:
        if isinstance(item.get(name), str) and item[name]:
            yield Message(Role.REASONING, item[name])
    if content is not None and (content or not calls):
        yield Message(role, content, *_of_tool(role, item))
    yield from calls


def _role(value: Any) -> Role:
    role = ROLES.get(value) if isinstance(value, str) else None
    if role is None:
        raise RowError(
            _("unknown role %(role)s: use system, user, assistant or tool.")
            % {"role": repr(value)[:60]}
        )
    return role


def _of_tool(role: Role, item: dict[str, Any]) -> tuple[str, str]:
    if role not in (Role.TOOL_CALL, Role.TOOL_RESULT):
        return "", ""
    return item.get("name") or "", item.get("tool_call_id") or item.get("call_id") or ""


def _content(value: Any, *, optional: bool) -> str | None:
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "".join(map(_part, value))
    if value is None and optional:
        return None
    raise RowError(_("the content is %(kind)s, not a text.") % {"kind": kind_of(value)})


def _part(part: Any) -> str:
    if isinstance(part, str):
        return part
    kind = part.get("type") if isinstance(part, dict) else kind_of(part)
    text = part.get("text") if isinstance(part, dict) else None
    if kind not in TEXT_PARTS or not isinstance(text, str):
        raise RowError(
            _("a part of the content is %(kind)s, and only text can be judged here.")
            % {"kind": repr(kind)[:60]}
        )
    return text


def _calls(item: dict[str, Any]) -> list[Message]:
    calls = item.get("tool_calls") or []
    if item.get("function_call"):
        calls = [*calls, {"function": item["function_call"]}]
    if not isinstance(calls, list):
        raise RowError(_("tool_calls is %(kind)s, not a list.") % {"kind": kind_of(calls)})
    return [_call(call) for call in calls]


def _call(call: Any) -> Message:
    function = call.get("function", call) if isinstance(call, dict) else None
    if not isinstance(function, dict):
        raise RowError(_("a tool call is an object with a function."))
    arguments = function.get("arguments", "")
    if not isinstance(arguments, str):
        arguments = json.dumps(arguments, ensure_ascii=False)
    return Message(Role.TOOL_CALL, arguments, function.get("name") or "", call.get("id") or "")
