"""Upkeep of jobs, workers and the trail, as beat calls it; and the one way a job is enqueued."""

from __future__ import annotations

from celery import current_app, shared_task
from django.utils.translation import gettext as _

from apps.activity import services
from apps.activity.models import Job


def enqueue_job(job_id: int) -> None:
    """Send a job's task to the queue; views and commands call this on commit."""
    job = Job.objects.get(pk=job_id)
    if job.task not in current_app.tasks:
        # Workers know all tasks; a web process or a command has not loaded their modules yet.
        current_app.loader.import_default_modules()
    task = current_app.tasks.get(job.task)
    if task is None:
        error = _("There is no task %(task)s in this version.") % {"task": job.task}
        services.fail_job(job=job, cause="unknown_task", error=error)
        return
    task.apply_async(kwargs={"job_id": job.pk, **job.arguments})


@shared_task
def sweep_jobs() -> int:
    """Send the message of queued jobs again when it is overdue."""
    overdue = services.claim_overdue_jobs()
    for job_id in overdue:
        enqueue_job(job_id)
    return len(overdue)


@shared_task
def reap_jobs() -> int:
    """Queue the jobs of silent workers again, and forget workers that are long gone."""
    released = services.release_lost_jobs()
    for job_id in released.queued:
        enqueue_job(job_id)
    services.forget_silent_workers()
    return len(released.queued) + len(released.failed)


@shared_task
def seal_trail() -> int:
    return services.seal_trail()
