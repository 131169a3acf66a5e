"""Computing rewards in the background, where a project is too large to wait for."""

from __future__ import annotations

from typing import Final

from django.db import transaction

from apps.accounts.models import Project, User
from apps.activity import services as activity
from apps.activity.errors import ApplicationError
from apps.activity.models import Job
from apps.judging.models import CheckRun, JudgeRun
from apps.rewards import selectors
from apps.rewards.models import RewardConfig
from apps.rewards.services.computing import check_runs, compute_rewards
from apps.rollouts.models import Rollout
from rubricstudio.core.errors import CoreError

TASK: Final = "apps.rewards.tasks.compute_rewards"
MOST_AT_ONCE: Final = 5_000
"""Rollouts whose rewards are computed while a person waits: a few seconds."""


def takes_long(project: Project) -> bool:
    """Whether computing is better left to a worker."""
    some = Rollout.objects.filter(project=project).values("pk")[: MOST_AT_ONCE + 1]
    return some.count() > MOST_AT_ONCE


@transaction.atomic
def start_computing(
    *,
    project: Project,
    config: RewardConfig,
    judge_run: JudgeRun | None = None,
    check_run: CheckRun | None = None,
    requested_by: User | None = None,
) -> Job:
    """A job that computes the rewards; the caller enqueues it. One that waits for the same is it.

    Raises as `compute_rewards` does where the runs cannot be used.
    """
    runs = check_runs(project, judge_run, check_run)
    arguments = {
        "config": config.pk,
        "judge_run": runs.judge.pk if runs.judge else None,
        "check_run": runs.check.pk if runs.check else None,
    }
    waiting = selectors.reward_jobs(project).filter(state=Job.State.QUEUED, arguments=arguments)
    return waiting.first() or activity.create_job(
        kind=selectors.REWARD_JOB,
        task=TASK,
        arguments=arguments,
        project=project,
        requested_by=requested_by,
    )


def carry_computing(*, job: Job, worker: str) -> None:
    """Carry the job to its end; nothing happens when somebody else has it."""
    if job.project is None or not activity.start_job(job=job, worker=worker):
        return
    said = job.arguments
    try:
        with activity.Beating(job):
            run = compute_rewards(
                project=job.project,
                config=RewardConfig.objects.get(pk=said["config"]),
                judge_run=JudgeRun.objects.filter(pk=said["judge_run"]).first(),
                check_run=CheckRun.objects.filter(pk=said["check_run"]).first(),
                requested_by=job.requested_by,
            )
    except (ApplicationError, CoreError) as error:
        activity.fail_job(job=job, cause="refused", error=str(error))
        return
    activity.finish_job(job=job, result={"reward_run": run.number})
