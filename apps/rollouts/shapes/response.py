"""The answers in a row: a text, typed messages, or a list of either."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _

from apps.prompts.reading import MissingColumn, RowError, kind_of
from apps.prompts.shapes.columns import Field, Fields, plain_name, structured
from apps.prompts.shapes.messages import read_messages, text_message
from rubricstudio.core.types import Message, Role

ONE = (
    *("response", "output", "completion", "answer", "generation", "generated_text", "output_text"),
    *("response_text", "model_response", "model_output", "prediction"),
)
MANY = ("responses", "outputs", "completions", "generations", "answers", "samples")

Answer = list[Message] | RowError
"""An answer, or why it is none."""


def read_answers(fields: Fields) -> list[Answer]:
    """The answers in the first response column, be it null; none where there is no such column."""
    field = fields.first("response")
    if field is None:
        return []
    value = fields.use(field)
    if fields.table and plain_name(field.name) in MANY:
        value = structured(value)
    if not isinstance(value, list) or is_conversation(value):
        return [_with_reasoning(fields, _answer(field.name, value))]
    if not value:
        raise RowError(_("%(name)s is an empty list: there is no answer.") % {"name": field.name})
    return [_answer(f"{field.name} {place}", item) for place, item in enumerate(value, 1)]


def missing_answer(fields: Fields) -> MissingColumn:
    return MissingColumn(
        _(
            "no column holds a response (response, output, completion …): say which one plays the "
            "part response; found: %(names)s"
        )
        % {"names": ", ".join(list(fields.values)[:12])[:300]}
    )


def is_conversation(value: Any) -> bool:
    """Whether a value is a list of messages."""
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(one, dict) and "role" in one for one in value)
    )


def split_conversation(messages: list[Message]) -> tuple[list[Message], list[Message]]:
    """What was asked, up to the last user turn, and what was answered to it."""
    last = max((at for at, one in enumerate(messages) if one.role is Role.USER), default=-1)
    asked, answer = messages[: last + 1], messages[last + 1 :]
    if not any(one.role in (Role.ASSISTANT, Role.TOOL_CALL) for one in answer):
        raise RowError(_("the messages hold no answer after the last user turn."))
    return asked, answer


def _answer(name: str, value: Any) -> Answer:
    try:
        if isinstance(value, str):
            return [text_message(Role.ASSISTANT, value)]
        if isinstance(value, dict) and "role" in value:
            return read_messages([value])
        if is_conversation(value):
            return read_messages(value)
    except RowError as error:
        return RowError(f"{name}: {error.reason}")
    return RowError(
        _("%(name)s is %(kind)s, and an answer is a text or messages.")
        % {"name": name, "kind": kind_of(value)}
    )


def _with_reasoning(fields: Fields, answer: Answer) -> Answer:
    """Put the reasoning that stands in a column of its own before the answer."""
    field: Field | None = fields.peek("reasoning")
    if field is None or isinstance(answer, RowError):
        return answer
    if not isinstance(field.value, str) or not field.value:
        return answer
    if any(message.role is Role.REASONING for message in answer):
        return answer
    return [text_message(Role.REASONING, fields.use(field)), *answer]
