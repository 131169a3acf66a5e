"""One row as rollouts: whose answer to which prompt, at which step, with which numbers."""

from __future__ import annotations

import sys
from typing import Any, NamedTuple

from django.utils.translation import gettext as _

from apps.prompts.reading import Row, RowError
from apps.prompts.shapes.columns import (
    KEY_CHARACTERS,
    Field,
    Fields,
    Mapped,
    Parts,
    as_key,
    check_storable,
    typed,
)
from apps.prompts.shapes.conversation import LISTS, task_messages
from apps.prompts.shapes.messages import REASONING
from apps.prompts.shapes.texts import last_user_turn
from apps.rollouts.shapes.response import (
    MANY,
    ONE,
    Answer,
    is_conversation,
    missing_answer,
    read_answers,
    split_conversation,
)
from apps.rollouts.shapes.templates import unwrapped
from rubricstudio.core.types import Message

NAME_CHARACTERS = 200
LARGEST_STEP = 2**31 - 1
PARTS = Parts(
    {
        "prompt_key": ("prompt_id", "prompt_key", "question_id", "qid"),
        "id": ("key", "id", "uid", "index", "idx"),
        "task": ("prompt", "user_prompt", "query", "instruction", "question", "problem", "input"),
        "input": ("input",),
        "response": (*ONE, *MANY),
        "conversation": LISTS,
        "reasoning": REASONING,
        "rollout_id": (
            *("rollout_id", "response_id", "completion_id", "generation_id", "answer_id"),
            "sample_id",
        ),
        "policy": ("policy", "model", "model_name", "model_id", "generator", "system"),
        "step": ("step", "global_step", "training_step"),
        "checkpoint": ("checkpoint", "ckpt"),
        "reward": ("trainer_reward", "reward", "score"),
        "truncated": ("truncated",),
        "finish": ("finish_reason", "stop_reason"),
    }
)
MAPPABLE = {"prompt": "task", "id": "prompt_key"} | {
    part: part for part in ("response", "policy", "step", "checkpoint", "reward", "reasoning")
}
"""The parts that a person may name a column for, under the words used for it."""


class Whose(NamedTuple):
    """How a row says which prompt it answers; empty where it does not.

    `key` names a prompt; `maybe_key` may as well number the rollouts. `texts` are what the prompt
    may be, the likeliest first.
    """

    key: str | None
    maybe_key: str | None
    texts: list[str]


class RolloutValue(NamedTuple):
    """A rollout as a file gives it; the columns are shared by all rollouts of a row."""

    whose: Whose
    external_id: str | None
    policy: str
    step: int | None
    checkpoint: str
    reward: float | None
    truncated: bool
    messages: list[Message]
    columns: dict[str, Any]


def read_rollouts(row: Row, *, policy: str, mapped: Mapped = ()) -> list[RolloutValue | RowError]:
    """The rollouts of a row. Raises RowError where it has none; one bad answer of several is an
    error among the others.
    """
    fields = Fields(row.values, PARTS, mapped=mapped, table=row.table)
    asked, answers = _conversation(fields)
    whose = _whose(fields, asked)
    external = _external_id(fields, whose)
    policy = _policy(fields) or policy
    step, checkpoint, reward = _step(fields), _checkpoint(fields), _reward(fields)
    truncated = _truncated(fields)
    columns = fields.rest()
    return [
        answer
        if isinstance(answer, RowError)
        else RolloutValue(
            whose=whose,
            external_id=_of_several(external, place, len(answers)),
            policy=policy,
            step=step,
            checkpoint=checkpoint,
            reward=reward,
            truncated=truncated,
            messages=answer,
            columns=columns,
        )
        for place, answer in enumerate(answers, 1)
    ]


def _conversation(fields: Fields) -> tuple[list[Message], list[Answer]]:
    """What was asked, as far as the row tells, and the answers."""
    asked, answers = _asked(fields), read_answers(fields)
    listed = fields.peek("conversation")
    if listed is not None and not (asked and answers):
        before, after = split_conversation(task_messages(fields, listed))
        asked, answers = asked or before, answers or [after]
    if not answers:
        raise missing_answer(fields)
    return asked, answers


def _asked(fields: Fields) -> list[Message]:
    """The prompt beside the response; a column that is no text or messages is just a column."""
    field = fields.peek("task")
    if field is None or not (isinstance(field.value, str) or is_conversation(field.value)):
        return []
    return task_messages(fields, field)


def _whose(fields: Fields, asked: list[Message]) -> Whose:
    key, maybe = fields.peek("prompt_key"), fields.peek("id")
    text = last_user_turn(asked)
    inner = unwrapped(text)
    return Whose(
        key=as_key(Field(key.name, fields.use(key))) if key else None,
        maybe_key=as_key(maybe) if maybe else None,
        texts=[one for one in (text, inner) if one],
    )


def _external_id(fields: Fields, whose: Whose) -> str | None:
    """The rollout's own id; a plain `id` is one where another column names the prompt."""
    field = fields.peek("rollout_id")
    if field is not None:
        return as_key(Field(field.name, fields.use(field)))
    return whose.maybe_key if whose.key else None


def _of_several(external_id: str | None, place: int, count: int) -> str | None:
    if external_id is None or count == 1:
        return external_id
    numbered = f"{external_id}#{place}"
    return numbered if len(numbered) <= KEY_CHARACTERS else None


def _policy(fields: Fields) -> str:
    """The policy that a column names; a text over many lines is a system prompt instead."""
    field = fields.peek("policy")
    value = field.value.strip() if field and isinstance(field.value, str) else ""
    if field is None or not value.isprintable() or not 0 < len(value) <= NAME_CHARACTERS:
        return ""
    fields.use(field)
    return value


def _step(fields: Fields) -> int | None:
    field = fields.peek("step")
    if field is None or field.value == "":
        return None
    value = _number(fields.use(field))
    if value is None or not float(value).is_integer() or not 0 <= value <= LARGEST_STEP:
        raise RowError(
            _("%(name)s is %(value)s, and a step is a whole number from 0.")
            % {"name": field.name, "value": repr(field.value)[:60]}
        )
    return int(value)


def _checkpoint(fields: Fields) -> str:
    field = fields.peek("checkpoint")
    if field is None or isinstance(field.value, bool | dict | list):
        return ""
    name = str(fields.use(field))
    if len(name) > NAME_CHARACTERS:
        raise RowError(
            _("%(name)s has more than %(limit)d characters.")
            % {"name": field.name, "limit": NAME_CHARACTERS}
        )
    check_storable(name, field.name)
    return name


def _reward(fields: Fields) -> float | None:
    """The trainer's number; what is no number stays a column."""
    field = fields.peek("reward")
    number = _number(field.value) if field else None
    if field is None or number is None:
        return None
    fields.use(field)
    return float(number)


def _number(value: Any) -> int | float | None:
    """A finite number that a float can hold, also where a table writes one; None for the rest."""
    if isinstance(value, str):
        value = typed(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if abs(value) <= sys.float_info.max else None


def _truncated(fields: Fields) -> bool:
    field, finish = fields.peek("truncated"), fields.peek("finish")
    if field is not None and str(field.value).lower() in ("true", "false"):
        return str(fields.use(field)).lower() == "true"
    return finish is not None and finish.value in ("length", "max_tokens")
