"""Reads of the trail, of jobs and of the workers that carry them, and of drafts."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db.models import BooleanField, ExpressionWrapper, Model, Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from apps.activity.errors import BadInput
from apps.activity.models import AuditEvent, Draft, Job, Seal, Worker
from apps.activity.sealing import seal_sha256


@dataclass(frozen=True)
class TrailCheck:
    """What verifying one project's trail found; `broken` is the first bad seal, if any."""

    project_id: int | None
    seals: int
    sealed: int
    unsealed: int
    broken: Seal | None = None
    reason: str = ""


def living_workers() -> QuerySet[Worker]:
    """Workers seen within WORKER_SEEN_WITHIN_SECONDS, by name."""
    since = timezone.now() - timedelta(seconds=settings.WORKER_SEEN_WITHIN_SECONDS)
    return Worker.objects.filter(seen_at__gte=since).order_by("name")


def known_workers() -> QuerySet[Worker]:
    """Workers that are not forgotten yet, silent ones too, with `alive`; by name."""
    since = timezone.now() - timedelta(seconds=settings.WORKER_SEEN_WITHIN_SECONDS)
    alive = ExpressionWrapper(Q(seen_at__gte=since), output_field=BooleanField())
    return Worker.objects.annotate(alive=alive).order_by("name")


def a_worker_beats(queue: str) -> bool:
    """Whether a living worker takes tasks from the queue."""
    return living_workers().filter(queues__contains=[queue]).exists()


def seconds_without_worker() -> int | None:
    """How long ago a worker was last seen, whichever; None when none ever was."""
    last = Worker.objects.order_by("-seen_at").values_list("seen_at", flat=True).first()
    return None if last is None else int((timezone.now() - last).total_seconds())


def jobs_of(project_ids: QuerySet[Any]) -> QuerySet[Job]:
    """The jobs of the projects, newest first."""
    return Job.objects.filter(project__in=project_ids).select_related("project", "requested_by")


def jobs_under_way(project: Model) -> QuerySet[Job]:
    """What runs or waits for a worker in the project; a paused job waits for a person."""
    return Job.objects.filter(
        project_id=project.pk, state__in=[Job.State.QUEUED, Job.State.RUNNING]
    )


def draft_of(user: Model, project: Model, key: str) -> QuerySet[Draft]:
    """The person's own draft of a form in a project: one row or none."""
    return Draft.objects.filter(user_id=user.pk, project_id=project.pk, key=key)


def last_seal(project_id: int | None) -> Seal | None:
    return _seals(project_id).last()


def events_after(
    project_id: int | None, last_id: int, *, up_to: int | None = None
) -> QuerySet[AuditEvent]:
    """Events of one project (None: of none) above an id, in order."""
    events = AuditEvent.objects.filter(_of(project_id), pk__gt=last_id).order_by("pk")
    return events if up_to is None else events.filter(pk__lte=up_to)


def trails(*, slug: str | None = None) -> list[int | None]:
    """The projects that have a trail, by id; None stands for what belongs to no project.

    Raises BadInput for a slug without events.
    """
    events = AuditEvent.objects.filter(project__slug=slug) if slug else AuditEvent.objects.all()
    found = events.order_by("project_id").values_list("project_id", flat=True).distinct()
    if slug and not found:
        raise BadInput(_("The project %(slug)r has no trail.") % {"slug": slug})
    return list(found)


def verify_trail(project_id: int | None) -> TrailCheck:
    """Recompute every seal of one project's trail; stops at the first that does not hold."""
    previous_sha256, last_id, seals, sealed = "", 0, 0, 0
    for seal in _seals(project_id):
        events = list(events_after(project_id, last_id, up_to=seal.last_event_id))
        reason = _flaw(seal, previous_sha256, events)
        if reason:
            return TrailCheck(project_id, seals, sealed, 0, seal, reason)
        previous_sha256, last_id = seal.sha256, seal.last_event_id
        seals, sealed = seals + 1, sealed + len(events)
    unsealed = events_after(project_id, last_id).count()
    return TrailCheck(project_id, seals, sealed, unsealed)


def _seals(project_id: int | None) -> QuerySet[Seal]:
    return Seal.objects.filter(_of(project_id)).order_by("first_event_id")


def _of(project_id: int | None) -> Q:
    return Q(project__isnull=True) if project_id is None else Q(project_id=project_id)


def _flaw(seal: Seal, previous_sha256: str, events: list[AuditEvent]) -> str:
    """Why the seal does not hold, as a sentence; empty when it does."""
    if seal.previous_sha256 != previous_sha256:
        return _("the seal before it is not the one it was chained to")
    if len(events) != seal.events:
        return _("it was made over %(then)d events, and %(now)d are there") % {
            "then": seal.events,
            "now": len(events),
        }
    if seal_sha256(previous_sha256, events) != seal.sha256:
        return _("an event under it has changed")
    return ""
