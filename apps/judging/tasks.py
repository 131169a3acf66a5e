"""Judging in the background: a message per shard, the upkeep of shards that beat starts, checks."""

from __future__ import annotations

import os
import socket
from typing import Any

from celery import shared_task

from apps.activity.ending import is_ending
from apps.activity.models import Job
from apps.judging import services


@shared_task(
    acks_late=True,  # safe: a second delivery finds the shard taken, or its cells filled
    reject_on_worker_lost=True,
)
def judge_shard(shard_id: int) -> None:
    carried = services.judge_shard(shard_id=shard_id, ending=is_ending)
    enqueue_shards(carried.run_id)


@shared_task(acks_late=True, reject_on_worker_lost=True)
def dispatch_run(run_id: int, job_id: int | None = None) -> None:
    """The task of a run's job: send its next shards to the queue."""
    enqueue_shards(run_id)


@shared_task(acks_late=True, reject_on_worker_lost=True)
def requeue_lost_shards() -> None:
    """Free the shards of silent workers, and send again what waits without a message."""
    for run_id in services.requeue_lost_shards():
        enqueue_shards(run_id)


@shared_task(
    acks_late=True,  # safe: a second delivery finds the job taken
    reject_on_worker_lost=True,
)
def run_checks(job_id: int, **_arguments: Any) -> None:
    services.carry_checks(
        job=Job.objects.get(pk=job_id), worker=f"{socket.gethostname()}:{os.getpid()}"
    )


def enqueue_shards(run_id: int) -> None:
    """Send the next shards of a run to the queue; views and commands call it on commit."""
    for shard_id in services.take_for_queue(run_id=run_id):
        judge_shard.delay(shard_id)
