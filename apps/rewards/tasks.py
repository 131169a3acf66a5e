"""Computing rewards in the background."""

from __future__ import annotations

import os
import socket
from typing import Any

from celery import shared_task

from apps.activity.models import Job
from apps.rewards import services


@shared_task(
    acks_late=True,  # safe: a second delivery finds the job taken, or the same rewards there
    reject_on_worker_lost=True,
)
def compute_rewards(job_id: int, **_arguments: Any) -> None:
    """The job's arguments are read from its row, and come along for the log only."""
    services.carry_computing(
        job=Job.objects.select_related("requested_by").get(pk=job_id),
        worker=f"{socket.gethostname()}:{os.getpid()}",
    )
