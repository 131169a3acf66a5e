"""Pause, resume and cancel a run. What has its verdict keeps it, whatever happens to the run."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from apps.accounts.models import User
from apps.activity import services as activity
from apps.activity.errors import Conflict
from apps.judging.models import JudgeRun, Shard
from apps.judging.services.endings import OPEN_RUN
from apps.judging.services.shards import CARRIED

State = JudgeRun.State


@transaction.atomic
def pause_run(
    *, run: JudgeRun, cause: str = "", reason: str = "", actor: User | None = None
) -> bool:
    """Ask nothing more until somebody resumes it; `reason` says what they have to do first.

    False when it is not under way. Its workers learn of it within their next beat.
    """
    moved = _move(run, CARRIED, state=State.PAUSED, block_cause=cause, block_reason=reason)
    if moved:
        if run.job is not None:
            activity.pause_job(job=run.job, reason=reason)
        _record(run, "run.paused", actor=actor, reason=reason)
    return moved


@transaction.atomic
def resume_run(*, run: JudgeRun, actor: User | None = None) -> bool:
    """Let a paused run go on with the cells that have no row; the caller enqueues its shards.

    False when it was not paused; Conflict when it was cancelled or has failed.
    """
    moved = _move(run, (State.PAUSED,), state=State.QUEUED, block_cause="", block_reason="")
    if moved:
        run.shards.filter(state=Shard.State.QUEUED).update(enqueued_at=None, attempts=0)
        if run.job is not None:
            activity.resume_job(job=run.job)
        _record(run, "run.resumed", actor=actor)
    elif run.state in (State.CANCELLED, State.FAILED):
        raise Conflict(
            _("Run %(number)d is over (%(state)s): ask again what it left with scope failed.")
            % {"number": run.number, "state": run.get_state_display()}
        )
    return moved


@transaction.atomic
def cancel_run(*, run: JudgeRun, actor: User | None = None, reason: str = "") -> bool:
    """End it from any open state; false when it was over already."""
    moved = _move(run, OPEN_RUN, state=State.CANCELLED, finished_at=timezone.now())
    if moved:
        if run.job is not None:
            activity.cancel_job(job=run.job)
        _record(run, "run.cancelled", actor=actor, reason=reason)
    return moved


def _move(run: JudgeRun, states: tuple[str, ...], **values: Any) -> bool:
    moved = JudgeRun.objects.filter(pk=run.pk, state__in=states).update(**values)
    run.refresh_from_db()
    return bool(moved)


def _record(run: JudgeRun, verb: str, *, actor: User | None, reason: str = "") -> None:
    activity.record(verb=verb, target=run, project=run.project, actor=actor, reason=reason)
