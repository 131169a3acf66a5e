"""What was said of one rollout under a reward run, row by row: the evidence behind its reward."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from apps.judging.models import CheckOutcome, JudgeRun, Verdict
from apps.judging.selectors import chain_of, verdicts_of
from apps.rewards.models import Reward, RewardRun
from apps.rewards.selectors.evidence import Evidence, evidence_of_group
from apps.specs.models import Spec

LONGEST_EVIDENCE = 300


class GroupUnderRun(NamedTuple):
    """The group of a reward as it was when it was computed; `spec` is the version that counted."""

    evidence: Evidence
    spec: Spec | None
    rewards: Sequence[Reward]


def rewards_beside(reward: Reward) -> list[Reward]:
    """The rewards of the same run and group, the highest first, those without one last."""
    found = Reward.objects.filter(run=reward.run_id, rollout__group=reward.rollout.group_id)
    rows = found.select_related("rollout__policy").only(
        "reward", "advantage", "reason", "run_id", "rollout__number", "rollout__policy__name"
    )
    return sorted(rows, key=lambda one: (one.reward is None, -(one.reward or 0.0), one.rollout_id))


def group_under_run(reward: Reward) -> GroupUnderRun:
    """What the reward was computed from: what came later is left out."""
    run = reward.run
    evidence = evidence_of_group(
        reward.rollout.group, judge_run=run.judge_run, check_run=run.check_run
    )
    rewards = rewards_beside(reward)
    counted = {one.rollout_id for one in rewards}
    members = tuple(one for one in evidence.members if one.rollout_id in counted)
    spec = _spec_then(run, evidence.group.revision_id)
    value = spec.as_value() if spec else None
    return GroupUnderRun(replace(evidence, members=members, spec=value), spec, rewards)


def _spec_then(run: RewardRun, revision_id: int) -> Spec | None:
    specs = Spec.objects.filter(prompt_revision=revision_id, created_at__lte=run.created_at)
    specs = specs.select_related("prompt_revision__prompt").prefetch_related(
        "criteria", "constraints"
    )
    return specs.order_by("-version").first()


def verdicts_about(run: JudgeRun | None, rollout_id: int) -> list[Verdict]:
    """The verdicts on a rollout that count for a judge run, of its own judge."""
    if run is None:
        return []
    same = JudgeRun.objects.filter(pk__in=chain_of(run), judge_sha256=run.judge_sha256)
    own = set(same.values_list("pk", flat=True))
    rows = verdicts_of(run).filter(rollout=rollout_id).select_related("criterion")
    return [row for row in rows if row.run_id in own]


def outcomes_about(run_id: int | None, rollout_id: int) -> list[CheckOutcome]:
    """What the checkers of a check run said of a rollout, in the order of its constraints."""
    rows = CheckOutcome.objects.filter(run=run_id, rollout=rollout_id)
    rows = rows.select_related("checker__constraint").order_by("checker__constraint__position")
    return list(rows.defer("checker__code"))
