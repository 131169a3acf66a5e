"""Tasks for the tests of the workers; each leaves lines in a file, so that runs can be counted."""

from __future__ import annotations

import os
import time
from pathlib import Path

from celery import shared_task
from celery.exceptions import SoftTimeLimitExceeded

from rubricstudio.sandbox.jail import shared

HONEST = "def check_following(instruction, response):\n    return True\n"


@shared_task
def note(path: str, line: str) -> None:
    _append(path, line)


@shared_task(acks_late=True, reject_on_worker_lost=True)
def wait_for_file(path: str, signal: str) -> None:
    """Notes that it started, waits until the file `signal` exists, and notes that it is done."""
    _append(path, f"started in {os.getpid()}")
    while not Path(signal).exists():
        time.sleep(0.05)
    _append(path, "done")


@shared_task
def carry_job(job_id: int) -> None:
    from apps.activity import services
    from apps.activity.models import Job

    job = Job.objects.get(pk=job_id)
    if services.start_job(job=job, worker="test"):
        services.finish_job(job=job, result={"carried": True})


@shared_task(soft_time_limit=1)
def check_for_long(path: str, source: str, batches: int) -> None:
    """Notes its zygote, lets a checker run over batches, and notes how that ended and what next."""
    jail = shared()
    jail.ladder()
    _append(path, f"zygote {jail.pid}")
    try:
        for _ in range(batches):
            jail.check([source], "", ["a"] * 2)
        _append(path, "done")
    except SoftTimeLimitExceeded:
        _append(path, "too late")
    (answer,) = jail.check([HONEST], "", ["a"])[0]
    _append(path, f"then {answer.verdict}")


def _append(path: str, line: str) -> None:
    with Path(path).open("a") as file:
        file.write(line + "\n")
