"""What pages show of reward runs: lists without payloads, and how the rewards are spread."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Final

from django.db.models import Count, F, IntegerField, Max, Min, QuerySet, Value
from django.db.models.functions import Cast, Floor

from apps.accounts.models import Project
from apps.activity.models import Job
from apps.judging.models import CheckRun, JudgeRun
from apps.judging.selectors import runs_of
from apps.rewards.models import Reward, RewardConfig, RewardRun
from apps.rewards.selectors.runs import LISTED, configs_of, list_rewards, reward_runs_of
from apps.rollouts.models import Policy

REWARD_JOB: Final = "rewards"
BINS: Final = 20
OFFERED: Final = 50


@dataclass(frozen=True)
class Bin:
    """A stretch of rewards, its lower end included, and how many rollouts lie in it."""

    low: float
    high: float
    count: int


def run_list(project: Project) -> QuerySet[RewardRun]:
    """The reward runs for a list, newest first: the settings and judges stay where they are."""
    return reward_runs_of(project).defer("config__settings", "judge_run__judge")


def config_list(project: Project) -> QuerySet[RewardConfig]:
    """Every version of every configuration, newest first, with how many runs used it."""
    return configs_of(project).annotate(uses=Count("runs"))


def reward_table(run: RewardRun) -> QuerySet[Reward]:
    """The rewards of a run for a list that names the policy and shows how each prompt begins."""
    shown = ("rollout__step", "rollout__policy__name", "rollout__prompt_revision__excerpt")
    return list_rewards(run).select_related("rollout__policy").only(*LISTED, *shown)


def policies_in(project: Project) -> list[str]:
    """The names of the policies, in alphabetical order."""
    return list(
        Policy.objects.filter(project=project).order_by("name").values_list("name", flat=True)
    )


def histogram(run: RewardRun) -> list[Bin]:
    """How many rollouts lie in each stretch; between 0 and 1 unless a reward lies outside.

    Rollouts without a reward are in none. Empty when no rollout has one.
    """
    found = _binned(run, 0.0, 1.0)
    if not found:
        return []
    low = min(0.0, *(least for _count, least, _most in found.values()))
    high = max(1.0, *(most for _count, _least, most in found.values()))
    if (low, high) != (0.0, 1.0):
        found = _binned(run, low, high)
    width = (high - low) / BINS
    counts = Counter[int]()
    for at, (count, _least, _most) in found.items():
        # The last stretch holds its upper end too.
        counts[min(at, BINS - 1)] += count
    return [Bin(low + at * width, low + (at + 1) * width, counts[at]) for at in range(BINS)]


def _binned(run: RewardRun, low: float, high: float) -> dict[int, tuple[int, float, float]]:
    """By the number of a stretch: how many rewards lie in it, the least and the most of them."""
    # Multiplied, so that 0.3 lies where 0.3 begins: divided by 0.05 it falls short of 6.
    place = Floor((F("reward") - Value(low)) * Value(BINS / (high - low)))
    scored = Reward.objects.filter(run=run, reward__isnull=False).order_by()
    placed = scored.annotate(bin=Cast(place, IntegerField())).values_list("bin")
    rows = placed.annotate(Count("pk"), Min("reward"), Max("reward"))
    return {at: (count, least, most) for at, count, least, most in rows}


def judge_runs_to_offer(project: Project) -> list[JudgeRun]:
    """The newest judge runs that are over: what rewards can be computed from."""
    return list(runs_of(project).filter(finished_at__isnull=False)[:OFFERED])


def check_runs_to_offer(project: Project) -> list[CheckRun]:
    """The newest check runs that are complete."""
    finished = CheckRun.objects.filter(project=project, finished_at__isnull=False)
    return list(finished.order_by("-number")[:OFFERED])


def reward_jobs(project: Project) -> QuerySet[Job]:
    """Jobs that compute rewards, or wait to."""
    return Job.objects.filter(project=project, kind=REWARD_JOB).exclude(state__in=Job.FINAL)
