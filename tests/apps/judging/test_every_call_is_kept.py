"""Every request that reached the server is a stored call, however the run was stopped."""

from collections import Counter
from uuid import uuid4

import pytest

from apps.calls import services as calls
from apps.calls.models import Call
from apps.judging import services
from apps.judging.models import Shard, Verdict
from apps.judging.services import carrying
from tests.apps.judging.conftest import OwnSlots

pytestmark = pytest.mark.django_db


@pytest.fixture
def run(started, stub, monkeypatch):
    """Most of the questions under way wait for one of two slots, and many are asked twice."""
    monkeypatch.setattr(calls.RoleClient, "limiter", lambda _client, *, want: OwnSlots(2))
    run = started(rollouts=8, criteria=4, endpoint={"max_in_flight": 32})
    stub.configure(faults={"http_500": 0.6}, latency=0.02)
    return run


@pytest.fixture
def carried(run, stub):
    """Carries the run's shard; the requests that the server saw of it, by their hash."""

    def carry(**values):
        before = len(stub.log())
        services.judge_shard(shard_id=run.shards.get().pk, **values)
        return Counter(one.body_sha256 for one in stub.log()[before:])

    return carry


def stored(run):
    calls_of_run = Call.objects.filter(job_id=run.job_id)
    return Counter(calls_of_run.values_list("request_sha256", flat=True))


def after_a_few(stub, act=lambda: True):
    """Acts once the server has seen twenty requests more."""
    limit = stub.state()["requests"] + 20
    return lambda: stub.state()["requests"] > limit and act()


def test_when_it_was_paused(run, stub, carried):
    seen = carried(on_beat=after_a_few(stub, lambda: services.pause_run(run=run)))

    assert stored(run) == seen
    assert 0 < Verdict.objects.count() < run.expected


def test_when_it_was_cancelled(run, stub, carried):
    seen = carried(on_beat=after_a_few(stub, lambda: services.cancel_run(run=run)))

    assert stored(run) == seen
    assert 0 < Verdict.objects.count() < run.expected


def test_when_its_worker_had_to_end(run, stub, carried):
    seen = carried(ending=after_a_few(stub))

    assert stored(run) == seen
    assert run.shards.get().state == Shard.State.QUEUED


def test_when_its_worker_ran_out_of_time(run, carried, settings):
    settings.SHARD_SECONDS = 0.5

    seen = carried()

    assert stored(run) == seen
    assert sum(seen.values()) > 0


def test_when_its_worker_had_lost_the_shard(run, stub, carried):
    def lose():
        Shard.objects.update(claim=uuid4(), worker="another")

    seen = carried(on_beat=after_a_few(stub, lose))

    assert stored(run) == seen
    assert Shard.objects.get().worker == "another"


def test_when_its_worker_had_to_end_and_the_server_did_not_answer_in_time(
    run, stub, carried, monkeypatch
):
    monkeypatch.setattr(carrying, "GRACE_SECONDS", 0.1)
    stub.configure(faults={"hang": 1.0})

    seen = carried(ending=lambda: stub.state()["in_flight"] == 2)

    assert stored(run) == seen
    calls_of_run = Call.objects.filter(job_id=run.job_id)
    assert set(calls_of_run.values_list("error_cause", flat=True)) == {"cancelled"}
    assert not Verdict.objects.exists()
    assert (run.shards.get().state, run.shards.get().repeated) == (Shard.State.QUEUED, 0)
