"""What a person does with a job: end it, let it go on, ask for it again. Each is in the trail."""

from __future__ import annotations

from django.db import transaction
from django.db.models import Model
from django.utils.translation import gettext as _

from apps.activity.errors import Conflict
from apps.activity.models import Job
from apps.activity.services.jobs import cancel_job, create_job, resume_job
from apps.activity.services.trail import record


@transaction.atomic
def stop_job(*, job: Job, actor: Model) -> None:
    """End an open job; its worker learns so at its next beat. Raises Conflict when it is over."""
    if not cancel_job(job=job):
        raise Conflict(_("This job is over already: there is nothing to cancel."))
    _record("job.cancelled", job, actor)


@transaction.atomic
def continue_job(*, job: Job, actor: Model) -> None:
    """Queue a paused job again; the caller enqueues it. Raises Conflict when it is not paused."""
    if not resume_job(job=job):
        raise Conflict(_("This job is not paused: it goes on by itself, or it is over."))
    _record("job.resumed", job, actor)


@transaction.atomic
def repeat_job(*, job: Job, actor: Model) -> Job:
    """A new job that does what an ended one was asked to; the caller enqueues it. Raises Conflict.

    For jobs that find what is left to do by themselves, so that nothing is done twice.
    """
    if not job.is_final:
        raise Conflict(_("This job is not over yet: wait for it, or cancel it first."))
    again = create_job(
        kind=job.kind,
        task=job.task,
        arguments=job.arguments,
        project=job.project,
        requested_by=actor,
    )
    _record("job.repeated", again, actor)
    return again


def _record(verb: str, job: Job, actor: Model) -> None:
    record(verb=verb, target=job, project=job.project, actor=actor, detail={"kind": job.kind})
