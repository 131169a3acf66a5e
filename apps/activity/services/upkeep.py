"""No job waits or runs unheard for ever: lost messages are sent again, lost work is queued again.

A message can be lost between commit and enqueue, a worker can be killed. The sweeper claims queued
jobs whose last message is overdue; the reaper releases running jobs whose worker fell silent, and
gives up on a job that has lost too many workers.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import NamedTuple

from django.db import transaction
from django.db.models import DateTimeField, DurationField, ExpressionWrapper, F, QuerySet, Value
from django.db.models.functions import Greatest, Least
from django.utils import timezone
from django.utils.translation import gettext as _

from apps.activity.models import Job

OVERDUE_AFTER = timedelta(seconds=60)
OVERDUE_AT_LATEST = timedelta(hours=1)
LOST_AFTER = timedelta(seconds=60)
ATTEMPTS = 3


class Released(NamedTuple):
    """Jobs that lost their worker: queued again, or failed after too many attempts."""

    queued: list[int]
    failed: list[int]


@transaction.atomic
def claim_overdue_jobs(*, limit: int = 500) -> list[int]:
    """Queued jobs whose message is overdue, marked as enqueued now; the caller enqueues them.

    The wait doubles with the age of the job, up to an hour: a long backlog is not a lost message,
    and must not grow by one for each job and minute.
    """
    now = timezone.now()
    overdue = list(_overdue(now).values_list("pk", flat=True)[:limit])
    Job.objects.filter(pk__in=overdue).update(enqueued_at=now)
    return overdue


def _overdue(now: datetime) -> QuerySet[Job]:
    age = ExpressionWrapper(F("enqueued_at") - F("created_at"), output_field=DurationField())
    wait = Least(Greatest(age, Value(OVERDUE_AFTER)), Value(OVERDUE_AT_LATEST))
    since = ExpressionWrapper(Value(now) - wait, output_field=DateTimeField())
    return (
        Job.objects.filter(state=Job.State.QUEUED, enqueued_at__lt=since)
        .order_by("enqueued_at")
        .select_for_update(skip_locked=True)
    )


@transaction.atomic
def release_lost_jobs(*, lost_after: timedelta = LOST_AFTER, attempts: int = ATTEMPTS) -> Released:
    """Take running jobs from workers that fell silent; the caller enqueues the queued ones.

    A job without a worker of its own is left alone: many carry it, and who made it sees to that.
    """
    now = timezone.now()
    silent = (
        Job.objects.select_for_update(skip_locked=True)
        .filter(state=Job.State.RUNNING, heartbeat_at__lt=now - lost_after)
        .exclude(worker="")
    )
    tries = dict(silent.values_list("pk", "attempts"))
    released = Released(
        queued=[pk for pk, made in tries.items() if made < attempts],
        failed=[pk for pk, made in tries.items() if made >= attempts],
    )
    Job.objects.filter(pk__in=released.queued).update(state=Job.State.QUEUED, enqueued_at=now)
    Job.objects.filter(pk__in=released.failed).update(
        state=Job.State.FAILED,
        error_cause="lost_worker",
        error=_("Each worker that took this job stopped before it was done; start it again."),
        finished_at=now,
    )
    return released
