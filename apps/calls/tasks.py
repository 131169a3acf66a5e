"""Upkeep that beat starts."""

from __future__ import annotations

from celery import shared_task

from apps.calls import services


@shared_task(acks_late=True, reject_on_worker_lost=True)
def ensure_partitions() -> None:
    """Partitions of the calls, well before their month begins."""
    services.ensure_partitions()
