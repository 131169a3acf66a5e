"""Runs on real workers and a real queue: kills lose nothing, limits hold across processes."""

import json
import os
import socket
import time
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.management import call_command

from apps.calls.models import Call
from apps.judging import selectors, services, tasks
from apps.judging.models import JudgeRun, Verdict
from rubricstudio.testing.stub.process import stub_server
from tests.workers.harness import PATIENCE, queue_url, real_queue, real_worker, wait_until

__all__ = ["queue_url", "real_queue", "real_worker"]

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.slow,
    pytest.mark.timeout(3 * PATIENCE),
]
LIMIT = 8


@pytest.fixture
def stub(tmp_path: Path):
    """A server whose log and counts hold this test alone."""
    with stub_server(tmp_path / "requests.jsonl", latency=0.1) as running:
        yield running


@pytest.fixture
def run(fill, use_model, stub, settings):
    """A run of 200 cells in ten shards, on a server that takes eight calls at once."""
    settings.SHARD_ROLLOUTS = 4
    use_model(stub.base_url, max_in_flight=LIMIT)
    return services.start_run(project=fill(prompts=10, rollouts=4, criteria=4)).run


def is_over(run):
    run.refresh_from_db()
    return run.state == JudgeRun.State.DONE


def no_shard_is_held(run):
    """Frees what silent workers hold, as beat does every few seconds, with no patience at all."""
    services.requeue_lost_shards(lost_after=timedelta(0))
    return not run.shards.filter(state="running").exists()


def workers_of(run):
    return set(run.shards.exclude(worker="").values_list("worker", flat=True))


def test_a_killed_worker_loses_nothing_and_doubles_nothing(run, stub, real_worker):
    killed = real_worker()
    tasks.dispatch_run.delay(run.pk)
    wait_until(lambda: Verdict.objects.count() > 40, "some verdicts")
    # It dies with questions under way, however quick the machine is.
    stub.configure(hold="sea salty")
    wait_until(lambda: stub.state()["in_flight"] > 0, "something to be under way")

    killed.kill()
    stub.configure(hold="")
    wait_until(lambda: no_shard_is_held(run), "the shards of the killed worker to be free")
    real_worker()
    tasks.dispatch_run.delay(run.pk)
    wait_until(lambda: is_over(run), "the run to end")

    log = stub.log()
    calls = list(Call.objects.values_list("request_sha256", flat=True))
    assert set(calls) <= {one.body_sha256 for one in log if one.status == 200}
    assert Verdict.objects.filter(state="scored", call_id__isnull=False).count() == 200
    assert Verdict.objects.values("rollout", "criterion", "sample").distinct().count() == 200
    # What was asked and not kept was under way.
    assert 0 < len(log) - len(calls) <= LIMIT
    assert 0 < selectors.progress_of(run).repeated <= LIMIT


def test_two_workers_never_have_more_in_flight_than_the_endpoint_takes(run, stub, real_worker):
    # Nothing ends before both have something to ask; a shard stays with whoever has claimed it.
    stub.configure(hold="sea salty")
    real_worker()
    real_worker()

    tasks.dispatch_run.delay(run.pk)
    wait_until(lambda: len(workers_of(run)) == 2, "both workers to have a shard")
    wait_until(lambda: stub.state()["in_flight"] == LIMIT, "the slots to be used")
    stub.configure(hold="")
    wait_until(lambda: is_over(run), "the run to end")

    assert len(workers_of(run)) == 2
    assert stub.state()["max_in_flight"] == LIMIT
    assert selectors.progress_of(run).scored == 200


def test_a_cancelled_run_asks_nothing_more_and_keeps_its_verdicts(run, stub, real_worker):
    real_worker()
    tasks.dispatch_run.delay(run.pk)
    wait_until(Verdict.objects.exists, "a verdict")

    services.cancel_run(run=run)
    cancelled_at = time.time()
    wait_until(lambda: not run.shards.filter(state="running").exists(), "the worker to let go")
    time.sleep(1)

    progress = selectors.progress_of(run)
    assert max(one.start for one in stub.log()) < cancelled_at + 5
    assert 0 < progress.scored < 200
    assert progress.failed_by_cause == {"cancelled": 200 - progress.scored}


def test_a_worker_that_is_stopped_gives_its_shards_back(run, real_worker):
    worker = real_worker()
    tasks.dispatch_run.delay(run.pk)
    wait_until(Verdict.objects.exists, "a verdict")

    worker.stop()

    assert 0 < Verdict.objects.count() < 200
    assert not run.shards.filter(state="running").exists()
    assert selectors.progress_of(run).repeated == 0


def test_the_command_leaves_the_work_to_the_worker_and_waits_for_it(
    run, stub, real_worker, monkeypatch, capsys
):
    monkeypatch.setenv("LLM_BASE_URL", stub.base_url)
    monkeypatch.setenv("LLM_MODEL", "judge")
    real_worker()

    call_command("judge", project=run.project.slug, resume=run.number)

    told = json.loads(capsys.readouterr().out.splitlines()[-1])
    own = f"{socket.gethostname()}:{os.getpid()}"
    assert told["scored"] == 200
    assert own not in workers_of(run)
