"""Why a reward is what it is: its formula with its numbers, and the evidence behind each item."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from django.db import transaction

from apps.judging.models import CheckOutcome, Verdict
from apps.rewards import selectors
from apps.rewards.models import Reward
from apps.rewards.selectors import GroupUnderRun
from apps.rewards.services.configs import aggregator_of
from apps.rewards.services.grouping import contents_of, gather, step_of
from apps.specs.models import Spec
from rubricstudio.core.errors import GroupError, SpecError
from rubricstudio.core.rewards import (
    GLOBAL_KEY,
    Aggregator,
    Breakdown,
    Component,
    ComponentShare,
    Hybrid,
    ItemShare,
    break_down,
)
from rubricstudio.core.types import Constraint, Criterion, SpecValue

EQUAL: Final = 1e-9
"""Computed again, a reward may differ by a rounding; by more, its inputs are others."""


@dataclass(frozen=True)
class Line:
    """An item of a reward with what was said: a criterion, a checker, or the global score.

    `stale` are verdicts about an older text, which do not count; `share` is what it adds.
    """

    item: ItemShare
    criterion: Criterion | None = None
    constraint: Constraint | None = None
    verdicts: Sequence[Verdict] = ()
    stale: Sequence[Verdict] = ()
    outcome: CheckOutcome | None = None


@dataclass(frozen=True)
class Section:
    """A component of the reward with its items."""

    component: ComponentShare
    lines: Sequence[Line]


@dataclass(frozen=True)
class Explanation:
    """A reward taken apart. Without a spec that could score there are no sections.

    `agrees`: whether the parts give the number that is stored. `siblings` are the rewards of the
    group, the highest first; `mean` is over those that are numbers.
    """

    reward: Reward
    spec: Spec | None
    siblings: Sequence[Reward]
    mean: float | None
    breakdown: Breakdown | None
    sections: Sequence[Section]
    agrees: bool
    problem: str = ""


@transaction.atomic
def explain_reward(reward: Reward) -> Explanation:
    """Take the reward apart by the evidence and the spec that it was computed from."""
    group = selectors.group_under_run(reward)
    found, problem = _broken_down(reward, group)
    numbers = [one.reward for one in group.rewards if one.reward is not None]
    return Explanation(
        reward=reward,
        spec=group.spec,
        siblings=group.rewards,
        mean=sum(numbers) / len(numbers) if numbers else None,
        breakdown=found,
        sections=_sections(reward, group, found) if found else (),
        agrees=found is None or _equal(found.reward, reward.reward),
        problem=problem,
    )


def _broken_down(reward: Reward, group: GroupUnderRun) -> tuple[Breakdown | None, str]:
    """The parts, or a sentence that says why there are none."""
    spec, run = group.evidence.spec, reward.run
    aggregator: Aggregator = aggregator_of(run.config)
    step = step_of(group.evidence)
    if spec is None or not isinstance(aggregator, Hybrid):
        return None, ""
    if aggregator.needs_step and step is None:
        return None, ""
    judge = run.judge_run.judge_sha256 if run.judge_run else ""
    places = [member.rollout_id for member in group.evidence.members]
    try:
        gathered = gather(group.evidence, spec, judge=judge)
        return break_down(
            aggregator, gathered.group, places.index(reward.rollout_id), step=step
        ), ""
    except (SpecError, GroupError) as error:
        return None, str(error)


def _equal(one: float | None, other: float | None) -> bool:
    if one is None or other is None:
        return one is other
    return abs(one - other) <= EQUAL


def _sections(reward: Reward, group: GroupUnderRun, breakdown: Breakdown) -> Sequence[Section]:
    spec = group.evidence.spec
    assert spec is not None  # noqa: S101 - nothing is broken down without one
    lines = _Lines.of(reward, spec)
    return [
        Section(
            component,
            [lines.line(one) for one in breakdown.items if one.component is component.component],
        )
        for component in breakdown.components
    ]


@dataclass(frozen=True)
class _Lines:
    """Finds what belongs to an item, by its key."""

    criteria: Mapping[str, Criterion]
    constraints: Mapping[str, Constraint]
    current: Mapping[str, list[Verdict]]
    stale: Mapping[str, list[Verdict]]
    outcomes: Mapping[str, CheckOutcome]

    @classmethod
    def of(cls, reward: Reward, spec: SpecValue) -> _Lines:
        asked, checked = contents_of(spec)
        current: dict[str, list[Verdict]] = {}
        stale: dict[str, list[Verdict]] = {}
        for row in selectors.verdicts_about(reward.run.judge_run, reward.rollout_id):
            key = row.criterion.key if row.criterion else GLOBAL_KEY
            counts = row.criterion is None or asked.get(key) == row.criterion.content_sha256
            (current if counts else stale).setdefault(key, []).append(row)
        rows = selectors.outcomes_about(reward.run.check_run_id, reward.rollout_id)
        said = {row.checker.content_sha256: row for row in rows}
        return cls(
            criteria={one.key: one for one in spec.criteria},
            constraints=dict(zip(checked, spec.constraints, strict=True)),
            current=current,
            stale=stale,
            outcomes={key: said[content] for key, content in checked.items() if content in said},
        )

    def line(self, item: ItemShare) -> Line:
        return Line(
            item=item,
            criterion=self.criteria.get(item.key) if item.component is Component.RUBRIC else None,
            constraint=self.constraints.get(item.key),
            verdicts=self.current.get(item.key, ()),
            stale=self.stale.get(item.key, ()),
            outcome=self.outcomes.get(item.key),
        )
