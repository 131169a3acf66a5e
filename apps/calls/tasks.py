"""Upkeep: partitions ahead of time, texts that are kept no longer, and the models of the
environment when a worker starts.
"""

from __future__ import annotations

import logging
import os
import socket
from typing import Any

from celery import shared_task
from celery.signals import worker_ready
from django.db import connection

from apps.activity.errors import ApplicationError
from apps.activity.models import Job
from apps.calls import services

logger = logging.getLogger(__name__)


@shared_task(acks_late=True, reject_on_worker_lost=True)
def ensure_partitions() -> None:
    """Partitions of the calls, well before their month begins."""
    services.ensure_partitions()


@shared_task(acks_late=True, reject_on_worker_lost=True)
def drop_expired_texts() -> None:
    """The texts of old calls, in the projects that keep them for so many days only."""
    services.drop_expired_texts()


@shared_task(acks_late=True, reject_on_worker_lost=True)
def probe(job_id: int, **_arguments: Any) -> None:
    """Look whether a model server can be used, for somebody who waits on its page."""
    worker = f"{socket.gethostname()}:{os.getpid()}"
    services.carry_probe(job=Job.objects.get(pk=job_id), worker=worker)


@worker_ready.connect
def seed_models(**_signal: Any) -> None:
    """Bring the endpoint and roles that this worker's environment names up to date."""
    try:
        services.seed_models()
    except ApplicationError as error:
        logger.warning("the model endpoint of the environment is not set up: %s", error)
    finally:
        # This is the worker's main process: a child forked later must not inherit it.
        connection.close()
