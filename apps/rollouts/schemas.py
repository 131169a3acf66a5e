"""Shapes of what the API says about rollouts."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from ninja import Schema

from apps.prompts.schemas import shown_columns
from apps.rollouts.models import Rollout


class RolloutListed(Schema):
    """A rollout in a list; `prompt` is the prompt's number, `group` the group's id."""

    number: int
    prompt: int
    prompt_revision: int
    group: int
    policy: str
    key: str
    revision: int
    excerpt: str
    characters: int
    step: int | None
    checkpoint: str
    trainer_reward: float | None
    truncated: bool
    created_at: datetime

    @classmethod
    def of(cls, rollout: Rollout) -> RolloutListed:
        text = rollout.prompt_revision
        return cls(
            number=rollout.number,
            prompt=text.prompt.number,
            prompt_revision=text.revision,
            group=rollout.group_id,
            policy=rollout.policy.name,
            key=rollout.key,
            revision=rollout.revision,
            excerpt=rollout.excerpt,
            characters=rollout.characters,
            step=rollout.step,
            checkpoint=rollout.checkpoint,
            trainer_reward=rollout.trainer_reward,
            truncated=rollout.truncated,
            created_at=rollout.created_at,
        )


class RolloutPage(Schema):
    items: list[RolloutListed]
    next: str | None


class RolloutOut(RolloutListed):
    """A rollout with its text, and its other revisions by their numbers."""

    messages: list[dict[str, Any]]
    columns: dict[str, Any]
    content_sha256: str
    revisions: list[int]

    @classmethod
    def with_text(cls, rollout: Rollout, revisions: list[int]) -> RolloutOut:
        return cls(
            **RolloutListed.of(rollout).dict(),
            messages=rollout.messages,
            columns=shown_columns(rollout.columns),
            content_sha256=rollout.content_sha256,
            revisions=revisions,
        )
