"""Checking and importing uploaded files of rollouts in the background."""

from __future__ import annotations

from celery import shared_task

from apps.prompts.tasks import carry
from apps.rollouts import services


# A second delivery finds the job taken or over, so an acknowledgement may come late.
@shared_task(acks_late=True, reject_on_worker_lost=True)
def take_quick_upload(job_id: int, **_arguments: object) -> None:
    """A small file, in the queue of quick tasks."""
    carry(job_id, services.IMPORTER)


@shared_task(acks_late=True, reject_on_worker_lost=True)
def take_long_upload(job_id: int, **_arguments: object) -> None:
    """A large file, in the queue of long tasks."""
    carry(job_id, services.IMPORTER)
