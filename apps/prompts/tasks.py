"""Checking and importing uploaded files in the background, and the upkeep of their folder."""

from __future__ import annotations

import os
import socket

from celery import shared_task

from apps.activity.ending import is_ending
from apps.activity.models import Job
from apps.activity.tasks import enqueue_job
from apps.prompts import services
from apps.prompts.services import Importer


# A second delivery finds the job taken or over, so an acknowledgement may come late.
@shared_task(acks_late=True, reject_on_worker_lost=True)
def take_quick_upload(job_id: int, **_arguments: object) -> None:
    """A small file, in the queue of quick tasks."""
    carry(job_id, services.IMPORTER)


@shared_task(acks_late=True, reject_on_worker_lost=True)
def take_long_upload(job_id: int, **_arguments: object) -> None:
    """A large file, in the queue of long tasks."""
    carry(job_id, services.IMPORTER)


def carry(job_id: int, importer: Importer) -> None:
    """What the tasks of every kind of import do."""
    goes_on = services.carry_upload(
        job=Job.objects.get(pk=job_id),
        importer=importer,
        worker=f"{socket.gethostname()}:{os.getpid()}",
        ending=is_ending,
    )
    if goes_on:
        enqueue_job(job_id)


@shared_task
def forget_uploads() -> int:
    return services.forget_uploads()
