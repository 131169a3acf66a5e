"""A rollout made ready for the database: canonical JSON, hashes and excerpt, no queries."""

from __future__ import annotations

from typing import NamedTuple

from apps.prompts.reading import BadRow, Row, RowError
from apps.prompts.services.prepared import as_json, messages_json
from apps.prompts.shapes.columns import Mapped
from apps.prompts.shapes.texts import EXCERPT_CHARACTERS, text_sha256
from apps.rollouts.shapes import RolloutValue, read_rollouts
from rubricstudio.core.canonical import sha256_hex
from rubricstudio.core.types import Role


class PreparedRollout(NamedTuple):
    """Everything that is stored of a rollout but its ids and numbers, and how to find its prompt.

    `texts` are sha256 of what the prompt's folded text may be.
    """

    row: Row
    value: RolloutValue
    texts: list[str]
    messages: str
    columns: str
    content_sha256: str
    excerpt: str
    characters: int


def prepare_rollouts(row: Row, *, policy: str, mapped: Mapped) -> list[PreparedRollout | BadRow]:
    """Read a row and make its rollouts ready. Raises RowError where it has none."""
    values = read_rollouts(row, policy=policy, mapped=mapped)
    brief = row.brief()
    return [_prepared(brief, value) for value in values]


def _prepared(row: Row, value: RolloutValue | RowError) -> PreparedRollout | BadRow:
    if isinstance(value, RowError):
        return row.rejected(value)
    try:
        messages = messages_json(value.messages)
        columns = as_json(value.columns, "columns")
    except RowError as error:
        return row.rejected(error)
    answers = [one.content for one in value.messages if one.role is Role.ASSISTANT]
    return PreparedRollout(
        row=row,
        value=value,
        texts=[text_sha256(text) for text in value.whose.texts],
        messages=messages,
        columns=columns,
        content_sha256=sha256_hex(messages.encode()),
        excerpt=(answers[-1] if answers else value.messages[-1].content)[:EXCERPT_CHARACTERS],
        characters=sum(len(message.content) for message in value.messages),
    )
