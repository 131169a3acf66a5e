"""Freezing in the background."""

from __future__ import annotations

import os
import socket
from typing import Any

from celery import shared_task

from apps.activity.models import Job
from apps.bundles import services


@shared_task(
    acks_late=True,  # safe: a second delivery finds the job taken, or the same bundle there
    reject_on_worker_lost=True,
)
def freeze(job_id: int, **_arguments: Any) -> None:
    """The job's arguments are read from its row, and come along for the log only."""
    services.carry_freezing(
        job=Job.objects.select_related("project", "requested_by").get(pk=job_id),
        worker=f"{socket.gethostname()}:{os.getpid()}",
    )
