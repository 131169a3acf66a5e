"""The trail in words: who did what to which thing, and why."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from itertools import groupby
from typing import Any

from django.db.models import Case, F, Func, IntegerField, JSONField, QuerySet, Value, When
from django.utils import timezone

from apps.accounts.models import Project
from apps.activity.models import AuditEvent
from apps.studio import words
from apps.studio.selectors.things import Thing, things

# A larger detail (the thousands of specs of one approval) is read on the page of its event only.
SMALL_DETAIL = 4096
RECENT = 20


@dataclass(frozen=True)
class Happening:
    """One event as a sentence: `before` the thing, the thing, `after` it, and what was counted."""

    event: AuditEvent
    before: str
    after: str
    thing: Thing
    names_thing: bool
    numbers: str


def events_of(project: Project | None) -> QuerySet[AuditEvent]:
    """The events of a project (None: of none), newest first, with details where they are small."""
    size = Func(F("detail"), function="pg_column_size", output_field=IntegerField())
    small = Case(
        When(detail_size__lte=SMALL_DETAIL, then=F("detail")),
        default=Value(None, output_field=JSONField()),
        output_field=JSONField(),
    )
    events = AuditEvent.objects.filter(project=project).order_by("-pk")
    sized = events.select_related("actor").defer("detail").annotate(detail_size=size)
    return sized.annotate(small_detail=small)


def told(events: Iterable[AuditEvent]) -> list[Happening]:
    """The events as sentences; a query per type of thing, not per event."""
    listed = list(events)
    known = things((event.target_type, event.target_id) for event in listed)
    return [_happening(event, known) for event in listed]


def _happening(event: AuditEvent, known: dict[tuple[str, str], Thing]) -> Happening:
    before, names_thing, after = words.act(event.verb).partition("{thing}")
    unknown = Thing(f"{event.target_type.partition('.')[2]} {event.target_id}")
    detail: dict[str, Any] | None = getattr(event, "small_detail", None)
    return Happening(
        event=event,
        before=before,
        after=after,
        thing=known.get((event.target_type, event.target_id), unknown),
        names_thing=bool(names_thing),
        numbers=words.numbers(event.verb, detail) if detail else "",
    )


def recent_days(project: Project, *, limit: int = RECENT) -> list[tuple[date, list[Happening]]]:
    """The newest events of a project, by day."""
    happenings = told(events_of(project)[:limit])
    days = groupby(happenings, key=lambda one: timezone.localtime(one.event.at).date())
    return [(day, list(some)) for day, some in days]
