"""The life of a job: queued -> running -> done | failed, with pause and cancel at any time.

Each function is one conditional UPDATE and says whether it moved the job, so that two workers, or
a worker and a person, never both win. A claim is known by its worker and number of attempts: a
worker that lost its claim to another moves nothing any more.

A job's task is called with `job_id` and the job's arguments (apps.activity.tasks.enqueue_job), by
whoever created the job and again by the sweeper when that call was lost; so it must claim the job
with `start_job` and do nothing when that says no.
"""

from __future__ import annotations

from typing import Any

from django.db.models import F, Model, QuerySet
from django.db.models.functions import Coalesce
from django.utils import timezone

from apps.activity.models import Job

State = Job.State
OPEN = (State.QUEUED, State.RUNNING, State.PAUSED)


def create_job(
    *,
    kind: str,
    task: str,
    arguments: dict[str, Any],
    project: Model | None,
    requested_by: Model | None = None,
    total: int | None = None,
) -> Job:
    """A queued job; the caller enqueues its task on commit (a service never does)."""
    return Job.objects.create(
        kind=kind,
        task=task,
        arguments=arguments,
        project_id=project.pk if project else None,
        requested_by_id=requested_by.pk if requested_by else None,
        total=total,
        enqueued_at=timezone.now(),
    )


def start_job(*, job: Job, worker: str) -> bool:
    """Claim a queued job. False: somebody else has it, or it is paused or over."""
    now = timezone.now()
    return _move(
        Job.objects.filter(pk=job.pk, state=State.QUEUED),
        job,
        state=State.RUNNING,
        worker=worker,
        attempts=F("attempts") + 1,
        started_at=Coalesce("started_at", now),
        heartbeat_at=now,
    )


def beat(*, job: Job, done: int | None = None) -> bool:
    """Say that the work goes on. False: stop, the job was paused, cancelled or given away."""
    progress = {} if done is None else {"done": done}
    return _move(_claimed(job), job, heartbeat_at=timezone.now(), **progress)


def release_job(*, job: Job) -> bool:
    """Give the job back to the queue, all that was done stored: a long job goes on in turns.

    The turn ended well, so losses before it count no more. The caller enqueues its task on commit.
    """
    return _move(_claimed(job), job, state=State.QUEUED, attempts=0, enqueued_at=timezone.now())


def finish_job(*, job: Job, result: dict[str, Any]) -> bool:
    """The work is done; `result` is what a page and a command report."""
    return _move(_claimed(job), job, state=State.DONE, result=result, finished_at=timezone.now())


def fail_job(*, job: Job, cause: str, error: str) -> bool:
    """Nothing more will come of it: `cause` is a class (lost_worker …), `error` a sentence."""
    return _move(
        _open(job),
        job,
        state=State.FAILED,
        error_cause=cause,
        error=error,
        finished_at=timezone.now(),
    )


def pause_job(*, job: Job, reason: str = "") -> bool:
    """Stop until a person resumes it; `reason` says what they have to do first."""
    waiting = Job.objects.filter(pk=job.pk, state__in=[State.QUEUED, State.RUNNING])
    return _move(waiting, job, state=State.PAUSED, error=reason)


def resume_job(*, job: Job) -> bool:
    """Queue a paused job again; the caller enqueues its task on commit."""
    return _move(
        Job.objects.filter(pk=job.pk, state=State.PAUSED),
        job,
        state=State.QUEUED,
        error="",
        enqueued_at=timezone.now(),
    )


def cancel_job(*, job: Job) -> bool:
    """End it from any open state; a worker that has it learns so at its next beat."""
    return _move(_open(job), job, state=State.CANCELLED, finished_at=timezone.now())


def _open(job: Job) -> QuerySet[Job]:
    return Job.objects.filter(pk=job.pk, state__in=OPEN)


def _claimed(job: Job) -> QuerySet[Job]:
    return Job.objects.filter(
        pk=job.pk, state=State.RUNNING, attempts=job.attempts, worker=job.worker
    )


def _move(jobs: QuerySet[Job], job: Job, **values: Any) -> bool:
    moved = bool(jobs.update(**values))
    if moved:
        job.refresh_from_db()
    return moved
