"""Reward configurations, runs and rewards over HTTP."""

from __future__ import annotations

from django.shortcuts import get_object_or_404
from ninja import Router, Status

from apps.accounts import access
from apps.accounts.access import ProjectRequest
from apps.accounts.models import Scope
from apps.activity.paging import page
from apps.judging.selectors import get_run
from apps.rewards import selectors, services
from apps.rewards.schemas import (
    ConfigIn,
    ConfigOut,
    ConfigsOut,
    RewardOut,
    RewardsOut,
    RunIn,
    RunOut,
    RunsOut,
)

router = Router(tags=["rewards"])

reads = access.api(scope=Scope.REWARDS_READ, roles=access.READERS)
writes = access.api(scope=Scope.RUNS_WRITE, roles=access.AUTHORS)


@router.get("/reward-configs", response=ConfigsOut)
@reads
def list_configs(
    request: ProjectRequest, slug: str, after: str = "", limit: int = 100
) -> ConfigsOut:
    """Every saved version of every configuration, newest first."""
    shown = page(selectors.configs_of(request.project), after=after, limit=limit, key="-pk")
    return ConfigsOut(items=[ConfigOut.of(config) for config in shown.items], next=shown.next)


@router.post("/reward-configs", response={201: ConfigOut})
@writes
def save_config(request: ProjectRequest, slug: str, wish: ConfigIn) -> Status[ConfigOut]:
    """Save settings under a name, as its next version unless they are its newest already."""
    config = services.save_config(
        project=request.project, name=wish.name, settings=wish.settings, author=request.actor
    )
    return Status(201, ConfigOut.of(config))


@router.post("/reward-runs", response={201: RunOut})
@writes
def compute_rewards(request: ProjectRequest, slug: str, wish: RunIn) -> Status[RunOut]:
    """Compute the rewards of every rollout; equal inputs are the run that is there."""
    project = request.project
    run = services.compute_rewards(
        project=project,
        config=services.config_named(project=project, name=wish.config, author=request.actor),
        judge_run=get_run(project, wish.judge_run) if wish.judge_run is not None else None,
        requested_by=request.actor,
    )
    return Status(201, RunOut.of(run))


@router.get("/reward-runs", response=RunsOut)
@reads
def list_runs(request: ProjectRequest, slug: str, after: str = "", limit: int = 100) -> RunsOut:
    """The reward runs of the project, newest first."""
    found = selectors.reward_runs_of(request.project)
    shown = page(found, after=after, limit=limit, key="-number")
    return RunsOut(items=[RunOut.of(run) for run in shown.items], next=shown.next)


@router.get("/reward-runs/{int:number}", response=RunOut)
@reads
def show_run(request: ProjectRequest, slug: str, number: int) -> RunOut:
    """One reward run."""
    return RunOut.of(get_object_or_404(selectors.reward_runs_of(request.project), number=number))


@router.get("/reward-runs/{int:number}/rewards", response=RewardsOut)
@reads
def list_rewards(
    request: ProjectRequest, slug: str, number: int, after: str = "", limit: int = 100
) -> RewardsOut:
    """The rewards of a run, those of one group next to each other."""
    run = get_object_or_404(selectors.reward_runs_of(request.project), number=number)
    shown = page(selectors.list_rewards(run), after=after, limit=limit)
    return RewardsOut(items=[RewardOut.of(reward) for reward in shown.items], next=shown.next)
