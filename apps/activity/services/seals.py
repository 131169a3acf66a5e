"""Seals make the trail tamper-evident, beyond the trigger that already forbids changes.

Ids are given out before their transaction commits, so an event could still appear below one that
is visible. Sealing stops at a watermark below which nothing can: the highest id there was while no
other transaction held an uncommitted event.
"""

from __future__ import annotations

from django.db import OperationalError, connection, transaction
from django.db.models import Max

from apps.activity import selectors
from apps.activity.models import AuditEvent, Seal
from apps.activity.sealing import seal_sha256

STRETCH = 5_000
# Any number that no other advisory lock of this application uses.
ADVISORY_LOCK = 7_310_001


def seal_trail(*, stretch: int = STRETCH) -> int:
    """Seal every event that is not sealed yet; returns how many seals were made.

    0 when there is nothing to seal, when another process is sealing, or when a long transaction
    holds events back: the next round seals them.
    """
    watermark = _watermark()
    if watermark is None:
        return 0
    return sum(_seal_project(one, watermark, stretch) for one in selectors.trails())


def _watermark() -> int | None:
    """The highest id below which no event can appear any more; None when it cannot be known now.

    The lock waits for transactions that have written events and is let go at once, so writers
    wait for a moment at most.
    """
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET LOCAL lock_timeout = '1s'")
            cursor.execute(f"LOCK TABLE {AuditEvent._meta.db_table} IN SHARE MODE")
            highest: int | None = AuditEvent.objects.aggregate(highest=Max("id"))["highest"]
            return highest
    except OperationalError:
        return None


def _seal_project(project_id: int | None, watermark: int, stretch: int) -> int:
    made = 0
    while _seal_stretch(project_id, watermark, stretch):
        made += 1
    return made


@transaction.atomic
def _seal_stretch(project_id: int | None, watermark: int, stretch: int) -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [ADVISORY_LOCK])
    previous = selectors.last_seal(project_id)
    events = list(
        selectors.events_after(
            project_id, previous.last_event_id if previous else 0, up_to=watermark
        )[:stretch]
    )
    if not events:
        return False
    previous_sha256 = previous.sha256 if previous else ""
    Seal.objects.create(
        project_id=project_id,
        first_event_id=events[0].pk,
        last_event_id=events[-1].pk,
        events=len(events),
        previous_sha256=previous_sha256,
        sha256=seal_sha256(previous_sha256, events),
    )
    return True
