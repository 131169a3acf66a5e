"""Worker processes say that they live; a page, /healthz and commands read it."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.utils import timezone

from apps.activity.models import Worker

FORGET_AFTER = timedelta(days=1)


def note_worker(*, name: str, pid: int, queues: list[str], started_at: datetime) -> None:
    """The worker is alive now."""
    Worker.objects.update_or_create(
        name=name,
        defaults={
            "pid": pid,
            "queues": queues,
            "started_at": started_at,
            "seen_at": timezone.now(),
        },
    )


def remove_worker(*, name: str, pid: int) -> None:
    """The worker ended in order; a successor that has taken its name stays."""
    Worker.objects.filter(name=name, pid=pid).delete()


def forget_silent_workers() -> int:
    """Drop the rows of workers that were killed long ago."""
    deleted, _ = Worker.objects.filter(seen_at__lt=timezone.now() - FORGET_AFTER).delete()
    return deleted
