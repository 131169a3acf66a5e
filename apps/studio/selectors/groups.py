"""Reads of groups over several steps: what was answered, judged, checked and rewarded in each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from django.contrib.postgres.aggregates import ArrayAgg
from django.db.models import Count, Max, Min, QuerySet

from apps.accounts.models import Project
from apps.judging.models import CellState, CheckOutcome, CheckRun, JudgeRun, Verdict
from apps.judging.selectors import verdicts_of
from apps.rewards.models import Reward, RewardRun
from apps.rollouts.models import Rollout, RolloutGroup

NAMED_POLICIES = 2


@dataclass(frozen=True)
class GroupLine:
    """A group in a list. `judged` rollouts have a verdict with a score; rewards are of one run."""

    group: RolloutGroup
    rollouts: int = 0
    policies: list[str] = field(default_factory=list)
    judged: int = 0
    lowest: float | None = None
    highest: float | None = None

    @property
    def judged_share(self) -> float:
        return self.judged / self.rollouts if self.rollouts else 0.0

    @property
    def spread(self) -> float | None:
        """The distance between the best and the worst reward."""
        if self.lowest is None or self.highest is None:
            return None
        return self.highest - self.lowest

    @property
    def shown_policies(self) -> list[str]:
        return self.policies[:NAMED_POLICIES]

    @property
    def more_policies(self) -> int:
        return max(0, len(self.policies) - NAMED_POLICIES)


class CellRow(NamedTuple):
    """A verdict in a cell; `key` is None for the global score, `content` what was asked by hash."""

    pk: int
    rollout_id: int
    key: str | None
    content: str | None
    state: str
    reason: str
    answer: str
    score: float | None


class CheckRow(NamedTuple):
    """A check outcome in a cell."""

    pk: int
    rollout_id: int
    content: str
    result: str
    cause: str
    reason: str


def groups_of(project: Project) -> QuerySet[RolloutGroup]:
    """The groups of a project with what a list shows of them, newest first."""
    groups = RolloutGroup.objects.filter(prompt_revision__prompt__project=project)
    return groups.select_related("prompt_revision__prompt", "batch__source", "batch__policy").only(
        "prompt_revision__revision",
        "prompt_revision__excerpt",
        "prompt_revision__prompt__number",
        "batch__step",
        "batch__policy__name",
        "batch__source__number",
        "batch__source__filename",
    )


def group_lines(groups: Sequence[RolloutGroup], *, reward_run: RewardRun | None) -> list[GroupLine]:
    """The groups with their counts, in three queries however many there are."""
    pks = [group.pk for group in groups]
    counted = _rollouts_in(pks)
    judged = _judged_in(pks)
    rewards = _rewards_in(pks, reward_run)
    return [
        GroupLine(
            group,
            *counted.get(group.pk, (0, [])),
            judged.get(group.pk, 0),
            *rewards.get(group.pk, (None, None)),
        )
        for group in groups
    ]


def _rollouts_in(groups: Sequence[int]) -> dict[int, tuple[int, list[str]]]:
    rows = Rollout.objects.filter(group__in=groups).order_by().values("group")
    counted = rows.annotate(
        number=Count("pk"), names=ArrayAgg("policy__name", distinct=True, order_by="policy__name")
    )
    return {row["group"]: (row["number"], row["names"]) for row in counted}


def _judged_in(groups: Sequence[int]) -> dict[int, int]:
    rows = Verdict.objects.filter(rollout__group__in=groups, state=CellState.SCORED)
    counted = rows.order_by().values("rollout__group").annotate(Count("rollout", distinct=True))
    return dict(counted.values_list("rollout__group", "rollout__count"))


def _rewards_in(
    groups: Sequence[int], run: RewardRun | None
) -> dict[int, tuple[float | None, float | None]]:
    if run is None:
        return {}
    rows = Reward.objects.filter(run=run, rollout__group__in=groups).order_by()
    spread = rows.values("rollout__group").annotate(low=Min("reward"), high=Max("reward"))
    return {row["rollout__group"]: (row["low"], row["high"]) for row in spread}


def members_of(group: RolloutGroup) -> list[Rollout]:
    """The rollouts of a group in the order they came, without their texts."""
    rollouts = Rollout.objects.filter(group=group).select_related("policy").order_by("pk")
    return list(
        rollouts.only(
            "number", "policy__name", "step", "revision", "key", "truncated", "trainer_reward"
        )
    )


def neighbours(project: Project, group: RolloutGroup) -> tuple[int | None, int | None]:
    """The groups before and after one, in the order of the list: the newest first."""
    groups = RolloutGroup.objects.filter(prompt_revision__prompt__project=project)
    newer = groups.filter(pk__gt=group.pk).order_by("pk").values_list("pk", flat=True).first()
    older = groups.filter(pk__lt=group.pk).order_by("-pk").values_list("pk", flat=True).first()
    return newer, older


def verdicts_in_group(run: JudgeRun | None, group: RolloutGroup) -> list[CellRow]:
    """The verdicts that count for a run about one group, by rollout and criterion."""
    if run is None:
        return []
    rows = verdicts_of(run).filter(rollout__group=group)
    return [
        CellRow(*row)
        for row in rows.values_list(
            "pk",
            "rollout",
            "criterion__key",
            "criterion__content_sha256",
            "state",
            "reason",
            "answer",
            "score",
        )
    ]


def outcomes_in_group(run: CheckRun | None, group: RolloutGroup) -> list[CheckRow]:
    """The outcomes of a check run about one group."""
    if run is None:
        return []
    rows = CheckOutcome.objects.filter(run=run, rollout__group=group).order_by("rollout", "checker")
    return [
        CheckRow(*row)
        for row in rows.values_list(
            "pk", "rollout", "checker__content_sha256", "result", "cause", "reason"
        )
    ]


def stored_rewards(run: RewardRun | None, group: RolloutGroup) -> dict[int, float | None]:
    """The rewards that a run has stored for the rollouts of a group."""
    if run is None:
        return {}
    rows = Reward.objects.filter(run=run, rollout__group=group)
    return dict(rows.values_list("rollout", "reward"))
