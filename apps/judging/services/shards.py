"""Who carries a shard, and what becomes of it when they stop.

A worker claims a queued shard with a fresh UUID and beats while it works. Whoever finds the beats
missing gives the shard back to the queue; the worker that lost it learns so at its next beat, and
writes nothing more. Each step is one conditional update, so that no two workers ever both win.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db import connection, transaction
from django.db.models import F, Q, QuerySet
from django.utils import timezone

from apps.activity import services as activity
from apps.judging import selectors
from apps.judging.models import JudgeRun, Shard
from apps.judging.services.endings import end_run_when_complete
from apps.judging.services.storing import fail_open_cells
from rubricstudio.core.types import FailureCause

LOST_AFTER = timedelta(seconds=30)
OVERDUE_AFTER = timedelta(minutes=5)
MOST_ATTEMPTS = 5
AHEAD = 16
"""Messages of one run in the queue at once: enough for many workers, and other runs get a turn."""

CARRIED = (JudgeRun.State.QUEUED, JudgeRun.State.RUNNING)

BEAT = """
UPDATE judging_shard SET heartbeat_at = clock_timestamp(), in_flight = beat.in_flight
FROM unnest(%s::bigint[], %s::uuid[], %s::int[]) AS beat (shard_id, claim, in_flight),
     judging_judgerun AS run
WHERE judging_shard.id = beat.shard_id AND judging_shard.claim = beat.claim
  AND run.id = judging_shard.run_id
RETURNING judging_shard.id, run.state
"""


@dataclass(frozen=True)
class Claim:
    """The right of one worker to a shard, until somebody finds its beats missing."""

    shard_id: int
    run_id: int
    token: uuid.UUID


@dataclass(frozen=True)
class Standing:
    """What a worker learns when it beats: which shards are its own, and if their run goes on."""

    held: frozenset[int]
    is_carried: bool


def claim_shard(*, shard_id: int, worker: str) -> Claim | None:
    """Take a queued shard; None: somebody else has it, or its run stands still or is over."""
    return _claim(Shard.objects.filter(pk=shard_id), worker)


def claim_next(*, run_id: int, worker: str) -> Claim | None:
    """Take the first queued shard of a run that nobody has; None when there is none."""
    return _claim(Shard.objects.filter(run_id=run_id), worker)


@transaction.atomic
def _claim(shards: QuerySet[Shard], worker: str) -> Claim | None:
    free = shards.filter(state=Shard.State.QUEUED, run__state__in=CARRIED).order_by("position")
    shard = free.select_for_update(of=("self",), skip_locked=True).first()
    if shard is None:
        return None
    claim = Claim(shard.pk, shard.run_id, uuid.uuid4())
    Shard.objects.filter(pk=shard.pk).update(
        state=Shard.State.RUNNING,
        claim=claim.token,
        worker=worker[:120],
        attempts=F("attempts") + 1,
        heartbeat_at=timezone.now(),
        in_flight=0,
    )
    _begin_run(shard.run_id)
    return claim


def _begin_run(run_id: int) -> None:
    queued = JudgeRun.objects.filter(pk=run_id, state=JudgeRun.State.QUEUED)
    if queued.update(state=JudgeRun.State.RUNNING):
        job = JudgeRun.objects.select_related("job").get(pk=run_id).job
        if job is not None:
            # Many workers carry it, so it has none of its own.
            activity.start_job(job=job, worker="")


def beat(*, in_flight: Mapping[Claim, int]) -> Standing:
    """Say that the claims to shards of one run are alive, with the questions under way in each."""
    claims = list(in_flight)
    numbers = [in_flight[claim] for claim in claims]
    with connection.cursor() as cursor:
        cursor.execute(
            BEAT, [[one.shard_id for one in claims], [one.token for one in claims], numbers]
        )
        state_of = dict(cursor.fetchall())
    return Standing(frozenset(state_of), all(state in CARRIED for state in state_of.values()))


@transaction.atomic
def finish_shard(*, claim: Claim) -> bool:
    """Every cell of the shard has its row; false when the claim was lost meanwhile."""
    moved = _own(claim).update(
        state=Shard.State.DONE, claim=None, in_flight=0, finished_at=timezone.now()
    )
    if moved and not end_run_when_complete(run_id=claim.run_id):
        _show_progress(claim.run_id)
    return bool(moved)


def release_shard(*, claim: Claim, ended_well: bool) -> bool:
    """Back to the queue with what is left of it.

    Ending well clears its attempts; otherwise what was under way will be asked again.
    """
    end: dict[str, Any] = (
        {"attempts": 0} if ended_well else {"repeated": F("repeated") + F("in_flight")}
    )
    return bool(
        _own(claim).update(
            state=Shard.State.QUEUED, claim=None, in_flight=0, enqueued_at=None, **end
        )
    )


def _own(claim: Claim) -> QuerySet[Shard]:
    return Shard.objects.filter(pk=claim.shard_id, claim=claim.token)


def _show_progress(run_id: int) -> None:
    run = JudgeRun.objects.select_related("job").get(pk=run_id)
    if run.job is not None:
        activity.beat(job=run.job, done=selectors.finished_cells(run))


@transaction.atomic
def take_for_queue(*, run_id: int) -> list[int]:
    """The next shards to send to the queue, marked as sent; the caller enqueues them on commit."""
    queued = Shard.objects.filter(run_id=run_id, state=Shard.State.QUEUED, run__state__in=CARRIED)
    room = AHEAD - queued.filter(enqueued_at__isnull=False).count()
    waiting = queued.filter(enqueued_at__isnull=True).order_by("position")
    locked = waiting.select_for_update(of=("self",), skip_locked=True)
    taken = [shard.pk for shard in locked[: max(0, room)]]
    Shard.objects.filter(pk__in=taken).update(enqueued_at=timezone.now())
    return taken


@transaction.atomic
def requeue_lost_shards(
    *, lost_after: timedelta = LOST_AFTER, overdue_after: timedelta = OVERDUE_AFTER
) -> list[int]:
    """Free the shards of silent workers and those whose message was lost.

    Returns the runs that have something to enqueue. A shard that lost too many workers is given
    up: its open cells have failed, and a child run may ask them again.
    """
    now = timezone.now()
    silent = Q(state=Shard.State.RUNNING, heartbeat_at__lt=now - lost_after)
    lost = Shard.objects.filter(silent).select_for_update(skip_locked=True)
    for shard in lost.order_by("pk"):
        _free(shard)
    overdue = Shard.objects.filter(
        state=Shard.State.QUEUED, run__state__in=CARRIED, enqueued_at__lt=now - overdue_after
    )
    Shard.objects.filter(pk__in=overdue).update(enqueued_at=None)
    carried = JudgeRun.objects.filter(
        state__in=CARRIED, shards__state=Shard.State.QUEUED, shards__enqueued_at__isnull=True
    )
    return list(carried.distinct().values_list("pk", flat=True))


def _free(shard: Shard) -> None:
    shard.repeated += shard.in_flight
    shard.in_flight, shard.claim, shard.enqueued_at = 0, None, None
    shard.state = Shard.State.QUEUED
    given_up = shard.attempts >= MOST_ATTEMPTS and shard.run.state in CARRIED
    if given_up:
        shard.state, shard.finished_at = Shard.State.FAILED, timezone.now()
        fail_open_cells(run=shard.run, shard_id=shard.pk, cause=FailureCause.LOST_WORKER)
    shard.save()
    if given_up:
        end_run_when_complete(run_id=shard.run_id)
