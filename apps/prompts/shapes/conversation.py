"""The task of a row as typed messages, from a text, a list of messages or a list of turns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from django.utils.translation import gettext as _

from apps.prompts.reading import MissingColumn, RowError, kind_of
from apps.prompts.shapes.columns import Field, Fields, plain_name, structured
from apps.prompts.shapes.kinds import Shape
from apps.prompts.shapes.messages import read_messages, text_message
from apps.prompts.shapes.texts import last_user_turn
from rubricstudio.core.types import Message, Role

LISTS = ("messages", "conversation", "conversations", "chat")
# `prompt` comes first: beside it, messages often hold the answer too.
TASK = ("prompt", "user_prompt", *LISTS, "turns", "query", "instruction", "question", "problem")
LAST = ("text", "input")


PART_OF = {Shape.TEXT: "text", Shape.MT_BENCH: "turns", Shape.MESSAGES: "messages"}
ENDS = (Role.USER, Role.TOOL_RESULT)
"""What a prompt can end with: something to be answered."""


class Conversation(NamedTuple):
    """The messages of a prompt, its last user turn, and the answer after it in the file, if any."""

    messages: list[Message]
    asked: str
    answer: str


def read_conversation(fields: Fields, shape: Shape) -> Conversation:
    """Read the task and its system prompt. Raises RowError when there is none to answer."""
    field = _task(fields, shape)
    messages = _with_system(fields, task_messages(fields, field, shape))
    answer = _answer_after(messages)
    if answer:
        messages = messages[:-1]
    asked = last_user_turn(messages)
    _check_turns(messages, asked, field)
    return Conversation(messages, asked, answer)


def task_messages(fields: Fields, field: Field, shape: Shape = Shape.AUTO) -> list[Message]:
    """The messages of the column that holds the task."""
    value = fields.use(field)
    listed = structured(value) if _may_be_list(field, fields.table, shape) else value
    name = plain_name(field.name)
    if name == "turns" or shape is Shape.MT_BENCH:
        return [text_message(Role.USER, turn) for turn in _turns(listed)]
    if isinstance(listed, list) and shape is not Shape.TEXT:
        return read_messages(listed)
    if not isinstance(value, str) or name in LISTS or shape is Shape.MESSAGES:
        raise RowError(
            _("%(name)s is %(kind)s: a text or a list of messages is needed.")
            % {"name": field.name, "kind": kind_of(value)}
        )
    return [text_message(Role.USER, _with_input(fields, name, value))]


def _task(fields: Fields, shape: Shape) -> Field:
    part = PART_OF.get(shape, "task")
    field = fields.peek(part)
    if field is None:
        if fields.has(part):
            raise RowError(_("the prompt is null."))
        names = ", ".join(list(fields.values)[:12])
        raise MissingColumn(
            _(
                "no column holds a prompt (prompt, query, instruction, messages …): say which one "
                "plays the part prompt; found: %(names)s"
            )
            % {"names": names[:300]}
        )
    return field


def _may_be_list(field: Field, table: bool, shape: Shape) -> bool:
    """A text is read as JSON only where a list is expected, or a table could not hold one."""
    expected = plain_name(field.name) in (*LISTS, "turns") or shape is Shape.MESSAGES
    cell = table and isinstance(field.value, str) and field.value.lstrip().startswith('[{"')
    return shape is not Shape.TEXT and (expected or cell)


def _turns(value: Any) -> Sequence[str]:
    if isinstance(value, list) and value and all(isinstance(turn, str) for turn in value):
        return value
    raise RowError(_("turns is not a list of texts."))


def _with_input(fields: Fields, name: str, text: str) -> str:
    """An instruction with its input below, as Alpaca's rows mean it."""
    extra = fields.peek("input") if name == "instruction" else None
    if extra is None or not isinstance(extra.value, str) or not extra.value.strip():
        return text
    return f"{text}\n\n{fields.use(extra)}"


def _with_system(fields: Fields, messages: list[Message]) -> list[Message]:
    field = fields.peek("system")
    if field is None or not isinstance(field.value, str) or not field.value.strip():
        return messages
    system = text_message(Role.SYSTEM, fields.use(field))
    if messages and messages[0].role is Role.SYSTEM:
        if messages[0].content != system.content:
            raise RowError(
                _("%(name)s differs from the system message: keep one of them.")
                % {"name": field.name}
            )
        return messages
    return [system, *messages]


def _answer_after(messages: list[Message]) -> str:
    """One assistant message at the end is an answer to the prompt, not a part of it."""
    if len(messages) < 2 or messages[-1].role is not Role.ASSISTANT:
        return ""
    return messages[-1].content if messages[-2].role in ENDS else ""


def _check_turns(messages: list[Message], asked: str, field: Field) -> None:
    if not asked.strip():
        raise RowError(
            _("%(name)s is empty: a prompt needs a user turn with text.") % {"name": field.name}
        )
    if messages[-1].role not in ENDS:
        raise RowError(
            _("%(name)s ends with the role %(role)s: a prompt ends with what is to be answered.")
            % {"name": field.name, "role": messages[-1].role.value}
        )
