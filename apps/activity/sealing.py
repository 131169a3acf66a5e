"""What a seal is a hash of.

A seal covers the next stretch of one project's events and the seal before it, so a changed,
removed or added event breaks its seal, and a removed seal breaks the next one::

    sha256 = SHA-256(canonical JSON of [previous sha256, [event, event, …]])
"""

from __future__ import annotations

from collections.abc import Iterable

from apps.activity.models import AuditEvent
from rubricstudio.core.canonical import canonical_hash


def seal_sha256(previous_sha256: str, events: Iterable[AuditEvent]) -> str:
    """The hash over the stretch, events in the order of their ids."""
    return canonical_hash([previous_sha256, [_sealed_part(event) for event in events]])


def _sealed_part(event: AuditEvent) -> list[object]:
    return [
        event.pk,
        event.project_id,
        event.actor_id,
        event.at.isoformat(timespec="microseconds"),
        event.verb,
        event.target_type,
        event.target_id,
        event.reason,
        event.detail,
    ]
