"""Reads of reward configurations, runs and rewards."""

from __future__ import annotations

from django.db.models import QuerySet

from apps.accounts.models import Project
from apps.judging.models import CheckRun
from apps.rewards.models import Reward, RewardConfig, RewardRun

LISTED = (
    *("run_id", "reward", "advantage", "components", "coverage", "flags", "reason"),
    *("rollout__number", "rollout__group_id", "rollout__prompt_revision__revision"),
    "rollout__prompt_revision__prompt__number",
    "rollout__prompt_revision__prompt__key",
)
"""What lists show of a reward: no messages."""


def configs_of(project: Project) -> QuerySet[RewardConfig]:
    """Every version of every configuration, newest first."""
    return RewardConfig.objects.filter(project=project).order_by("-pk").select_related("author")


def config_names(project: Project) -> list[str]:
    """The names of the saved configurations, in alphabetical order."""
    names = RewardConfig.objects.filter(project=project).order_by("name").distinct("name")
    return list(names.values_list("name", flat=True))


def newest_config(project: Project, name: str) -> RewardConfig | None:
    """The newest version of a configuration."""
    return configs_of(project).filter(name=name).order_by("-version").first()


def newest_check_run(project: Project) -> CheckRun | None:
    """The newest check run that is complete."""
    finished = CheckRun.objects.filter(project=project, finished_at__isnull=False)
    return finished.order_by("-number").first()


def reward_runs_of(project: Project) -> QuerySet[RewardRun]:
    """The reward runs of a project, newest first, with what a list shows of them."""
    runs = RewardRun.objects.filter(project=project).order_by("-number")
    return runs.select_related("config", "judge_run", "check_run", "requested_by")


def list_rewards(run: RewardRun) -> QuerySet[Reward]:
    """The rewards of a run for a list: no messages."""
    rewards = Reward.objects.filter(run=run)
    return rewards.select_related("rollout__prompt_revision__prompt").only(*LISTED)
