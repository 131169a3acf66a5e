"""The records of generated checkers: what check runs add to them, quarantine, and its end."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from django.db import transaction
from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext as _

from apps.accounts.models import Project, User
from apps.activity import services as activity
from apps.activity.errors import Conflict
from apps.specs.models import CheckerRecord
from rubricstudio.core.checkers.generated import record_of
from rubricstudio.core.types import CheckOutcome


@transaction.atomic
def note_outcomes(
    *, project: Project, code_sha256: str, outcomes: Sequence[CheckOutcome]
) -> CheckerRecord:
    """Add outcomes to the record of a code; it goes into quarantine where its record says so."""
    key = {"project": project, "code_sha256": code_sha256}
    CheckerRecord.objects.bulk_create([CheckerRecord(**key)], ignore_conflicts=True)
    more = record_of(list(outcomes))
    CheckerRecord.objects.filter(**key).update(
        passed=F("passed") + more.passed,
        failed=F("failed") + more.failed,
        errors=F("errors") + more.errors,
        hard=F("hard") + more.hard,
    )
    record = CheckerRecord.objects.select_for_update(no_key=True).get(**key)
    reason = record.as_value().quarantine
    if reason and not record.quarantine:
        record.quarantine, record.quarantined_at = reason, timezone.now()
        record.save(update_fields=["quarantine", "quarantined_at"])
        activity.record(
            verb="checker.quarantined", target=record, project=project, actor=None, reason=reason
        )
    return record


@transaction.atomic
def release(*, record: CheckerRecord, actor: User, reason: str = "") -> CheckerRecord:
    """End a quarantine; its record begins anew. Raises Conflict where there is none."""
    record = CheckerRecord.objects.select_for_update(no_key=True).get(pk=record.pk)
    if not record.quarantine:
        raise Conflict(_("This checker is in no quarantine any more."))
    was = record.quarantine
    record.passed = record.failed = record.errors = record.hard = 0
    record.quarantine, record.quarantined_at = "", None
    record.released_at, record.released_by = timezone.now(), actor
    record.save()
    activity.record(
        verb="checker.released",
        target=record,
        project=record.project,
        actor=actor,
        reason=reason,
        detail={"quarantine": was},
    )
    return record


def in_quarantine(project: Project, codes: Iterable[str]) -> dict[str, str]:
    """Which of the codes, by hash, must not count, and why."""
    held = CheckerRecord.objects.filter(project=project, code_sha256__in=list(codes))
    return dict(held.exclude(quarantine="").values_list("code_sha256", "quarantine"))
