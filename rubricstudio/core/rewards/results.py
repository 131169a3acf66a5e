"""From rewards to the result that every aggregator gives: advantages, coverage, flags."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from rubricstudio.core.rewards.advantages import AdvantageRule, advantages
from rubricstudio.core.rewards.cells import Item
from rubricstudio.core.rewards.groups import (
    Component,
    Flag,
    Group,
    GroupRewards,
    MemberReward,
    NoReward,
)
from rubricstudio.core.rewards.missing import Comparable

Parts = Mapping[Component, float | None]
"""The components of one rollout; ``None`` where the group does not have one."""


@dataclass(frozen=True, slots=True)
class Scored:
    """What an aggregator made of a comparable group, in the order of its members.

    ``rewards`` are ``None`` with a reason in ``reasons``.
    """

    parts: Sequence[Parts]
    rewards: Sequence[float | None]
    reasons: Sequence[NoReward | None]


def assemble(
    group: Group,
    items: Sequence[Item],
    comparable: Comparable,
    scored: Scored,
    rule: AdvantageRule,
    *,
    alpha: float | None = None,
    step: int | None = None,
) -> GroupRewards:
    """The rewards of a group with their advantages, coverage and flags."""
    gains = advantages(scored.rewards, rule)
    rows = zip(
        group.members,
        scored.rewards,
        gains.values,
        scored.parts,
        comparable.member_coverage,
        scored.reasons,
        strict=True,
    )
    flags = [*_item_flags(items, comparable, scored), *_reward_flags(scored, gains.zero_signal)]
    return GroupRewards(
        members=tuple(MemberReward(member.rollout_id, *row) for member, *row in rows),
        coverage=comparable.coverage,
        flags=tuple(flags),
        dropped=comparable.dropped,
        checkers=sum(item.component is Component.CODE for item in comparable.items),
        errors_as_fails=sum(item.errors_as_fails for item in items),
        alpha=alpha,
        step=step,
        spread={item.key: item.spread for item in items if item.spread},
    )


def _item_flags(items: Sequence[Item], comparable: Comparable, scored: Scored) -> Iterator[Flag]:
    refused = {item.key for item in items if item.refused}
    asked = {item.component for item in items if not item.refused}
    there = {part for parts in scored.parts for part, value in parts.items() if value is not None}
    said = {
        Flag.ITEM_DROPPED: set(comparable.dropped) - refused,
        Flag.COMPONENT_DROPPED: asked - there,
        Flag.CHECKER_REFUSED: refused,
        Flag.ERROR_AS_FAIL: [item for item in items if item.errors_as_fails],
        Flag.OFF_SCALE: [item for item in items if item.off_scale],
    }
    return (flag for flag, reasons in said.items() if reasons)


def _reward_flags(scored: Scored, zero_signal: bool) -> Iterator[Flag]:
    count = sum(reward is not None for reward in scored.rewards)
    said = {
        Flag.BELOW_COVERAGE: NoReward.BELOW_COVERAGE in scored.reasons,
        Flag.NOTHING_SCORED: NoReward.NOTHING_SCORED in scored.reasons,
        Flag.NO_WEIGHT: NoReward.NO_WEIGHT in scored.reasons,
        Flag.UNSCORED_MEMBER: NoReward.MISSING_ITEM in scored.reasons,
        Flag.SINGLE: count == 1,
        Flag.ZERO_SIGNAL: zero_signal,
    }
    return (flag for flag, holds in said.items() if holds)
