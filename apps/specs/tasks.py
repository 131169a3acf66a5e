"""Making specs in the background, in turns that are bounded by time."""

from __future__ import annotations

import os
import socket
from typing import Any

from celery import shared_task
from django.conf import settings

from apps.activity.ending import is_ending
from apps.activity.models import Job
from apps.activity.tasks import enqueue_job
from apps.specs import services


@shared_task(
    acks_late=True,  # safe: a second delivery finds the job taken, or its prompts dealt with
    reject_on_worker_lost=True,
)
def make_specs(job_id: int, **_arguments: Any) -> None:
    """One turn; the job's arguments are read from its row, and come along for the log only."""
    goes_on = services.carry_making(
        job=Job.objects.get(pk=job_id),
        worker=f"{socket.gethostname()}:{os.getpid()}",
        seconds=settings.SHARD_SECONDS,
        ending=is_ending,
    )
    if goes_on:
        enqueue_job(job_id)
