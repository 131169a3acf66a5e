"""A rollout made ready for the database: canonical JSON, hashes and excerpt, no queries."""

from __future__ import annotations

from typing import NamedTuple

from apps.prompts.reading import Row, RowError
from apps.prompts.services.pipeline import Batch
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


def prepare_rollouts(
    row: Row, batch: Batch[PreparedRollout], *, policy: str, mapped: Mapped
) -> None:
    """Read a row and put its rollouts into the batch. Raises RowError where it has none."""
    brief = row.brief()
    for value in read_rollouts(row, policy=policy, mapped=mapped):
        try:
            batch.ready.append(_prepared(brief, value))
        except RowError as error:
            batch.rejected.append(brief.rejected(error))


def _prepared(row: Row, value: RolloutValue | RowError) -> PreparedRollout:
    if isinstance(value, RowError):
        raise value
    messages = messages_json(value.messages)
    columns = as_json(value.columns, "columns")
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
