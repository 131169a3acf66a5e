"""Shapes of the API: reward configurations, runs and rewards."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from ninja import Schema

from apps.activity.wishes import Wish
from apps.rewards.models import Reward, RewardConfig, RewardRun


class ConfigIn(Wish):
    """A configuration to save; settings that are left out take their defaults."""

    name: str
    settings: dict[str, Any]


class ConfigOut(Schema):
    """One version of a reward configuration, every setting in full."""

    name: str
    version: int
    aggregator: str
    settings: dict[str, Any]
    sha256: str
    author: str | None
    created_at: datetime

    @classmethod
    def of(cls, config: RewardConfig) -> ConfigOut:
        return cls(
            name=config.name,
            version=config.version,
            aggregator=config.aggregator,
            settings=config.settings,
            sha256=config.sha256,
            author=config.author.username if config.author else None,
            created_at=config.created_at,
        )


class ConfigsOut(Schema):
    """A page of configurations."""

    items: list[ConfigOut]
    next: str | None


class RunIn(Wish):
    """What to compute: a configuration, over the newest complete runs unless others are named."""

    config: str = "default"
    judge_run: int | None = None


class RunOut(Schema):
    """A reward run; the summary says by which rule each number was counted."""

    number: int
    config: str
    config_version: int
    judge_run: int | None
    check_run: int | None
    requested_by: str | None
    summary: dict[str, Any]
    created_at: datetime
    finished_at: datetime | None

    @classmethod
    def of(cls, run: RewardRun) -> RunOut:
        return cls(
            number=run.number,
            config=run.config.name,
            config_version=run.config.version,
            judge_run=run.judge_run.number if run.judge_run else None,
            check_run=run.check_run.number if run.check_run else None,
            requested_by=run.requested_by.username if run.requested_by else None,
            summary=run.summary,
            created_at=run.created_at,
            finished_at=run.finished_at,
        )


class RunsOut(Schema):
    """A page of reward runs."""

    items: list[RunOut]
    next: str | None


class RewardOut(Schema):
    """The reward of one rollout with its parts; `reason` says why there is none."""

    rollout: int
    group: int
    prompt: int
    prompt_id: str
    prompt_revision: int
    reward: float | None
    advantage: float | None
    components: dict[str, float | None]
    coverage: float
    flags: list[str]
    reason: str

    @classmethod
    def of(cls, reward: Reward) -> RewardOut:
        revision = reward.rollout.prompt_revision
        return cls(
            rollout=reward.rollout.number,
            group=reward.rollout.group_id,
            prompt=revision.prompt.number,
            prompt_id=revision.prompt.key,
            prompt_revision=revision.revision,
            reward=reward.reward,
            advantage=reward.advantage,
            components=reward.components,
            coverage=reward.coverage,
            flags=reward.flags,
            reason=reward.reason,
        )


class RewardsOut(Schema):
    """A page of rewards."""

    items: list[RewardOut]
    next: str | None
