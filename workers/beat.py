"""What runs by the clock, and where beat remembers when it last did.

Tasks are named by strings: beat only sends messages and never loads them. A message expires before
the next one of its kind is due, so those sent while no worker lived do not pile up.
"""

from __future__ import annotations

from typing import Any

from django.conf import settings

from workers.queues import DEFAULT

HOUR = 3600.0


def _every(seconds: float, task: str) -> dict[str, Any]:
    """Upkeep waits in the quick queue, whosever task it is: never behind an hour of judging."""
    return {"task": task, "schedule": seconds, "options": {"queue": DEFAULT, "expires": seconds}}


SCHEDULE = {
    "enqueue overdue jobs again": _every(30.0, "apps.activity.tasks.sweep_jobs"),
    "take jobs from silent workers": _every(15.0, "apps.activity.tasks.reap_jobs"),
    "take shards from silent workers": _every(15.0, "apps.judging.tasks.requeue_lost_shards"),
    "forget failed sign-ins": _every(HOUR, "apps.accounts.tasks.forget_failed_sign_ins"),
    "seal the audit trail": _every(60.0, "apps.activity.tasks.seal_trail"),
    "drop uploads that nobody imports": _every(HOUR, "apps.prompts.tasks.forget_uploads"),
    "drop the texts of old calls": _every(6 * HOUR, "apps.calls.tasks.drop_expired_texts"),
    "make the partitions of the calls": _every(6 * HOUR, "apps.calls.tasks.ensure_partitions"),
}


def configuration() -> dict[str, Any]:
    """Celery's settings for beat."""
    return {
        "beat_schedule": SCHEDULE,
        "beat_schedule_filename": str(settings.DATA_DIR / "beat-schedule"),
    }
