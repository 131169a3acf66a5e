"""Pause, resume and cancel: nothing more is asked, and nothing that was answered is lost."""

import threading
import time
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from apps.activity import services as activity
from apps.activity.errors import Conflict
from apps.activity.models import AuditEvent, Job
from apps.calls import services as calls
from apps.calls.models import ModelEndpoint
from apps.judging import selectors, services
from apps.judging.models import JudgeRun, Verdict
from apps.judging.services import shards
from tests import factories
from tests.apps.judging.conftest import carry
from tests.workers.harness import wait_until

State = JudgeRun.State


@pytest.fixture
def run(db, fill, use_model):
    use_model()
    return services.start_run(project=fill()).run


def test_a_paused_run_says_why_it_stands_still(run):
    author = factories.make_user()

    assert services.pause_run(run=run, reason="The server is being moved.", actor=author)

    assert (run.state, run.block_reason) == (State.PAUSED, "The server is being moved.")
    event = AuditEvent.objects.filter(verb="run.paused").get()
    assert (event.actor, event.reason) == (author, "The server is being moved.")


def test_a_paused_run_sends_nothing_to_the_queue(run):
    services.pause_run(run=run)

    assert services.take_for_queue(run_id=run.pk) == []


def test_a_resumed_run_sends_its_shards_again(run):
    before = services.take_for_queue(run_id=run.pk)
    services.pause_run(run=run)

    services.resume_run(run=run)

    assert services.take_for_queue(run_id=run.pk) == before


def test_the_job_of_a_run_follows_it(run):
    states = []
    for act in (services.pause_run, services.resume_run, services.cancel_run):
        act(run=run)
        run.job.refresh_from_db()
        states.append(run.job.state)

    assert states == ["paused", "queued", "cancelled"]


def test_the_job_of_a_run_is_not_taken_from_it_while_no_worker_has_a_shard(run):
    shards.claim_shard(shard_id=run.shards.get().pk, worker="a worker")
    Job.objects.update(heartbeat_at=timezone.now() - timedelta(hours=1))

    released = activity.release_lost_jobs()

    assert released == ([], [])


def test_a_run_that_is_over_can_neither_be_paused_nor_cancelled(run):
    services.cancel_run(run=run)

    assert not services.pause_run(run=run)
    assert not services.cancel_run(run=run)
    with pytest.raises(Conflict, match="scope failed"):
        services.resume_run(run=run)


class Worker(threading.Thread):
    """Carries a run beside the test, as a worker process would."""

    def __init__(self, run):
        super().__init__()
        self.run_to_carry = run
        self.start()

    def run(self):
        try:
            carry(self.run_to_carry)
        finally:
            connection.close()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("act", [services.pause_run, services.cancel_run])
def test_a_run_that_is_stopped_in_the_middle_asks_nothing_more_and_keeps_what_it_has(
    started, stub, act
):
    run = started(rollouts=8, criteria=4, endpoint={"max_in_flight": 4})
    stub.configure(latency=0.2)
    worker = Worker(run)
    wait_until(Verdict.objects.exists)

    act(run=JudgeRun.objects.get(pk=run.pk))
    stopped_at = time.time()
    worker.join()

    progress = selectors.progress_of(JudgeRun.objects.get(pk=run.pk))
    assert [one for one in stub.log() if one.start > stopped_at + 5] == []
    assert 0 < progress.scored < run.expected
    assert progress.final + progress.queued + progress.running == run.expected


@pytest.mark.django_db(transaction=True)
def test_questions_that_wait_for_a_slot_are_not_asked_once_the_run_is_paused(started, stub):
    run = started(rollouts=4, criteria=4)
    endpoint = ModelEndpoint.objects.get()
    calls.lease_slots(endpoint, holder="another", want=endpoint.max_in_flight, seconds=600)
    before = len(stub.log())
    worker = Worker(run)
    wait_until(run.shards.filter(state="running").exists)

    services.pause_run(run=run)
    worker.join(20)

    assert not worker.is_alive()
    assert len(stub.log()) == before
