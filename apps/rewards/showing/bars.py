"""A reward as a line of a list: its number, and a bar of what its components add."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from apps.rewards.models import Reward, RewardRun
from apps.rewards.services import aggregator_of
from apps.rewards.wording import COMPONENTS
from rubricstudio.core.errors import SettingsError
from rubricstudio.core.rewards import Component, Hybrid, contributions

WIDTH = 128


@dataclass(frozen=True)
class Segment:
    """A stretch of the bar: what a component adds, from `start` on, in the width of the bar."""

    component: str
    label: str
    score: float
    added: float
    start: float
    length: float


@dataclass(frozen=True)
class RewardLine:
    """A reward with its bar; without a reward the bar is empty."""

    reward: Reward
    segments: list[Segment]
    width: int = WIDTH


def reward_lines(run: RewardRun, rewards: Iterable[Reward]) -> list[RewardLine]:
    """The lines of rewards of one run."""
    aggregator = aggregator_of(run.config)
    return [RewardLine(one, _segments(aggregator, one)) for one in rewards]


def reward_line(reward: Reward) -> RewardLine:
    return reward_lines(reward.run, [reward])[0]


def _segments(aggregator: object, reward: Reward) -> list[Segment]:
    if reward.reward is None or not isinstance(aggregator, Hybrid):
        return []
    parts = {Component(name): score for name, score in reward.components.items()}
    try:
        alpha = aggregator.settings.alpha.at(reward.rollout.step)
    except SettingsError:
        return []
    return _laid_out(contributions(parts, alpha), parts)


def _laid_out(
    added: Mapping[Component, float], parts: Mapping[Component, float | None]
) -> list[Segment]:
    """One behind the other, in the order of the components."""
    segments: list[Segment] = []
    start = 0.0
    for component in Component:
        if component not in added:
            continue
        length = max(0.0, added[component]) * WIDTH
        segments.append(
            Segment(
                component=component.value,
                label=str(COMPONENTS[component.value]),
                score=parts[component] or 0.0,
                added=added[component],
                start=round(start, 2),
                length=round(max(0.0, length - 1), 2),
            )
        )
        start += length
    return segments
