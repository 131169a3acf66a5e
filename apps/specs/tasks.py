"""Making specs in the background, in turns that are bounded by time."""

from __future__ import annotations

import multiprocessing
import os
import socket
from typing import Any

from celery import shared_task
from celery.signals import worker_shutting_down
from django.conf import settings

from apps.activity.models import Job
from apps.activity.tasks import enqueue_job
from apps.specs import services

# Made before the pool forks, so the children see what the worker's main process sets.
_ending = multiprocessing.Event()


@worker_shutting_down.connect
def end_soon(**_signal: Any) -> None:
    """A worker that was told to stop begins no further prompt."""
    _ending.set()


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
        ending=_ending.is_set,
    )
    if goes_on:
        enqueue_job(job_id)
