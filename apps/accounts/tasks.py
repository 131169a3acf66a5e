"""Upkeep of what the app keeps about people, as beat calls it."""

from __future__ import annotations

from celery import shared_task

from apps.accounts import services


@shared_task
def forget_failed_sign_ins() -> int:
    return services.forget_failed_sign_ins()
