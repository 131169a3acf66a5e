"""The audit trail: who did what to which thing, and why. Written in the act's own transaction."""

from __future__ import annotations

from typing import Any

from django.db.models import Model

from apps.activity.models import AuditEvent


def record(
    *,
    verb: str,
    target: Model,
    project: Model | None = None,
    actor: Model | None = None,
    reason: str = "",
    detail: dict[str, Any] | None = None,
) -> AuditEvent:
    """Append one act; without an actor the system did it.

    `verb` is `thing.done` in the past tense, e.g. `spec.approved`. `detail` holds JSON values.
    """
    return AuditEvent.objects.create(
        project_id=project.pk if project else None,
        actor_id=actor.pk if actor else None,
        verb=verb,
        target_type=target._meta.label_lower,
        target_id=str(target.pk),
        reason=reason,
        detail=detail or {},
    )
