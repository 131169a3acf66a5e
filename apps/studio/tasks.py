"""Bringing a project in, copying one and emptying one, in the background."""

from __future__ import annotations

import os
import socket
from functools import partial
from typing import Any

from celery import shared_task

from apps.activity.ending import is_ending
from apps.activity.models import Job
from apps.activity.tasks import enqueue_job
from apps.studio import services


# A second delivery finds the job taken or over, so an acknowledgement may come late.
@shared_task(acks_late=True, reject_on_worker_lost=True)
def import_project(job_id: int, **_arguments: Any) -> None:
    _carry(job_id, services.do_import)


@shared_task(acks_late=True, reject_on_worker_lost=True)
def copy_project(job_id: int, **_arguments: Any) -> None:
    _carry(job_id, services.do_copy)


@shared_task(acks_late=True, reject_on_worker_lost=True)
def delete_project(job_id: int, **_arguments: Any) -> None:
    _carry(job_id, services.do_deletion)


def _carry(job_id: int, work: Any) -> None:
    job = Job.objects.get(pk=job_id)
    worker = f"{socket.gethostname()}:{os.getpid()}"
    if services.carry(job=job, work=partial(work, job), worker=worker, ending=is_ending):
        enqueue_job(job_id)
