"""How one worker carries a run: shard after shard, for a while, with many calls under way.

Two threads share the work. The event loop asks the model; this thread claims shards, stores what
was answered and beats, all in one transaction, so that an answer and its call are there together or
not at all. When time is up, or somebody stops the run, no new question is asked; what is under way
is finished and stored, and the rest of the shards goes back to the queue. A process that has to end
does not wait long: then what is under way is given up, and the calls made so far are stored.
"""

from __future__ import annotations

import os
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

from django.conf import settings
from django.db import transaction

from apps.activity.ending import GRACE_SECONDS
from apps.activity.errors import ApplicationError
from apps.calls.services import blocked_sentence
from apps.judging.models import JudgeRun, Shard
from apps.judging.services import shards
from apps.judging.services.desk import Desk, Held
from apps.judging.services.inbox import Answer, Inbox, let_go
from apps.judging.services.judges import BothRoles, Judge, look_again, usable_judge_for
from apps.judging.services.keeping import leaves_open, store_answers
from apps.judging.services.loop import submit, the_loop
from apps.judging.services.shards import Claim, Standing
from apps.judging.services.stopping import pause_run
from rubricstudio.llm.asking import never
from rubricstudio.llm.client import ManyAsked

BEAT_SECONDS = 1.0


def nothing() -> None:
    return None


@dataclass(frozen=True)
class Carried:
    """What came of a task: the run it worked for, and how many verdicts it stored."""

    run_id: int
    stored: int = 0


def judge_shard(
    *, shard_id: int, ending: Callable[[], bool] = never, on_beat: Callable[[], None] = nothing
) -> Carried:
    """Carry a shard, and the next ones of its run while SHARD_SECONDS last.

    A shard that somebody else has, or whose run stands still, is left alone, so a message may come
    twice. `ending` tells that this process is to end soon; `on_beat` is called about every second.
    """
    shard = Shard.objects.select_related("run__project", "run__job", "run__parent").get(pk=shard_id)
    run = shard.run
    # Before the claim, which has to be kept alive from then on: a slow server takes its time.
    judge = _judge_or_pause(run) if shard.state == Shard.State.QUEUED else None
    if judge is None:
        return Carried(run.pk)
    worker = f"{socket.gethostname()}:{os.getpid()}"
    claim = shards.claim_shard(shard_id=shard_id, worker=worker)
    if claim is None:
        return Carried(run.pk)
    carrier = Carrier(run, judge, worker, ending=ending, on_beat=on_beat)
    return Carried(run.pk, carrier.carry(claim))


def _judge_or_pause(run: JudgeRun) -> Judge | None:
    """The judge of a run that is under way; one that cannot be used stops the run."""
    if run.state not in shards.CARRIED:
        return None
    try:
        return usable_judge_for(run)
    except ApplicationError as error:
        pause_run(run=run, cause=error.extra.get("cause", "blocked"), reason=error.message)
        return None


@dataclass
class Carrier:
    """One worker at one run."""

    run: JudgeRun
    judge: Judge
    worker: str
    ending: Callable[[], bool]
    on_beat: Callable[[], None]
    desk: Desk = field(default_factory=Desk)
    stored: int = 0
    _stop: threading.Event = field(default_factory=threading.Event)
    _until: float = 0.0
    _give_up_at: float = float("inf")
    _open: BothRoles | None = None

    def carry(self, claim: Claim) -> int:
        """Carry shards, beginning with this one; how many verdicts were stored."""
        self._until = time.monotonic() + settings.SHARD_SECONDS
        ended_well = False
        try:
            self._take_in(claim)
            self._fetch()
            while len(self.desk) and self._may_ask():
                self._pass()
                self._fetch()
            ended_well = True
        finally:
            for held in list(self.desk.held.values()):
                shards.release_shard(claim=held.claim, ended_well=ended_well)
        return self.stored

    def _take_in(self, claim: Claim) -> None:
        held = self.desk.add(self.run, claim)
        if not held.left:
            self._finish(held)

    def _finish(self, held: Held) -> None:
        shards.finish_shard(claim=held.claim)
        self.desk.drop(held.claim.shard_id)

    def _fetch(self) -> None:
        """Claim more while there is time, before the loop runs out of questions."""
        while len(self.desk) < self.judge.at_once and self._may_ask():
            claim = shards.claim_next(run_id=self.run.pk, worker=self.worker)
            if claim is None:
                return
            self._take_in(claim)

    def _may_ask(self) -> bool:
        if self.ending() and not self._stop.is_set():
            self._stop.set()
            self._give_up_at = time.monotonic() + GRACE_SECONDS
        return not self._stop.is_set() and time.monotonic() < self._until

    def _pass(self) -> None:
        """Ask until the desk is empty, time is up or the run is stopped; store what comes."""
        inbox = Inbox(questions_at_once=self.judge.at_once)
        asking = submit(self._ask(inbox))
        asking.add_done_callback(lambda _: inbox.close())
        try:
            while (answers := inbox.take(seconds=BEAT_SECONDS)) is not None:
                self._keep(answers)
                self._fetch()
                self._send_away()
                self.on_beat()
        finally:
            asking.cancel()  # only where storing failed: the pass is over otherwise
        self._look_at(asking.result())

    async def _ask(self, inbox: Inbox) -> ManyAsked:
        async with self.judge.opened(self.desk.begin) as judge:
            self._open = judge
            return await judge.judge_many(
                self.desk.take(),
                inbox.put,
                concurrency=self.judge.at_once,
                stop=self._stop.is_set,
                seconds=self._until - time.monotonic(),
            )

    def _send_away(self) -> None:
        """Questions that still wait for a slot are not asked any more once time is up."""
        if self._open is None or self._may_ask():
            return
        way_out = self._open.way_out
        if time.monotonic() >= self._give_up_at:
            the_loop().call_soon_threadsafe(way_out.give_up)
        else:
            close = self._stop.is_set()
            the_loop().call_soon_threadsafe(partial(way_out.send_away, close=close))

    def _keep(self, answers: Sequence[Answer]) -> None:
        """Store answers and beat in one transaction; a shard that was lost gets no verdicts."""
        closing = Counter(one.key.shard_id for one in answers if not leaves_open(one.asked))
        with transaction.atomic():
            standing = shards.beat(in_flight=self.desk.in_flight(closing))
            store_answers(run=self.run, judge=self.judge, answers=answers, held=standing.held)
        self._account([one for one in answers if one.key.shard_id in standing.held], standing)
        let_go(answers)

    def _account(self, kept: Sequence[Answer], standing: Standing) -> None:
        for one in kept:
            shard_id, cell = one.key
            held = self.desk.held[shard_id]
            held.begun.discard(cell)
            if not leaves_open(one.asked):
                held.left -= 1
                self.stored += 1
        for shard_id, held in list(self.desk.held.items()):
            if shard_id not in standing.held:
                # It was silent for too long. Taking the same shard again would mix two claims.
                self.desk.drop(shard_id)
                self._stop.set()
            elif not held.left:
                self._finish(held)
        if not standing.is_carried:
            self._stop.set()

    def _look_at(self, ended: ManyAsked) -> None:
        """An endpoint that answers nobody stops the whole run, until somebody has seen to it."""
        if ended.cause is not None:
            self._stop.set()
            look_again(self.judge)
            reason = blocked_sentence(ended.cause, ended.detail)
            pause_run(run=self.run, cause=ended.cause.value, reason=reason)
