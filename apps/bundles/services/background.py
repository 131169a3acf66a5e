"""Freezing in the background, where a project is too large to wait for."""

from __future__ import annotations

from typing import Final

from django.db import transaction

from apps.accounts.models import Project, User
from apps.activity import services as activity
from apps.activity.errors import ApplicationError
from apps.activity.models import Job
from apps.bundles import selectors
from apps.bundles.services.freezing import Reasons, freeze
from apps.rewards.models import RewardConfig
from rubricstudio.core.errors import CoreError

TASK: Final = "apps.bundles.tasks.freeze"
MOST_AT_ONCE: Final = 2_000
"""Specs that are frozen while a person waits: a few seconds."""


def takes_long(project: Project) -> bool:
    """Whether freezing is better left to a worker."""
    some = selectors.specs_to_freeze(project).order_by().values("pk")[: MOST_AT_ONCE + 1]
    return some.count() > MOST_AT_ONCE


@transaction.atomic
def start_freezing(
    *,
    project: Project,
    config: RewardConfig,
    name: str = "",
    waive: Reasons | None = None,
    requested_by: User | None = None,
) -> Job:
    """A job that freezes; the caller enqueues it. One that waits for the same is it."""
    arguments = {"config": config.pk, "name": name, "waive": waive}
    waiting = selectors.freeze_jobs(project).filter(state=Job.State.QUEUED, arguments=arguments)
    return waiting.first() or activity.create_job(
        kind=selectors.FREEZE_JOB,
        task=TASK,
        arguments=arguments,
        project=project,
        requested_by=requested_by,
    )


def carry_freezing(*, job: Job, worker: str) -> None:
    """Carry the job to its end; nothing happens when somebody else has it."""
    if job.project is None or not activity.start_job(job=job, worker=worker):
        return
    said = job.arguments
    try:
        with activity.Beating(job):
            frozen = freeze(
                project=job.project,
                config=RewardConfig.objects.get(pk=said["config"]),
                name=said["name"],
                waive=said["waive"],
                actor=job.requested_by,
            )
    except (ApplicationError, CoreError) as error:
        activity.fail_job(job=job, cause="refused", error=str(error))
        return
    result = {"bundle": frozen.bundle.number, "is_new": frozen.is_new}
    activity.finish_job(job=job, result=result)
