"""Real workers on a real queue: tasks run, workers are seen, and a kill loses nothing."""

from __future__ import annotations

import os
import time
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone

from apps.activity import selectors, services
from apps.activity.models import Job, Worker
from apps.activity.tasks import enqueue_job, sweep_jobs
from tests.workers import tasks
from tests.workers.harness import PATIENCE, real_queue, real_worker, wait_until
from tests.workers.harness import queue_url as pgmq_url
from workers import queues

__all__ = ["real_queue", "real_worker"]

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.slow,
    pytest.mark.timeout(3 * PATIENCE),
]
TASKS = ("tests.workers.tasks",)
pgmq_queue = pgmq_url


@pytest.fixture(params=["pgmq", pytest.param("amqp", marks=pytest.mark.xdist_group("amqp"))])
def queue_url(request: pytest.FixtureRequest) -> str:
    """Every test here runs on the database's queue, and on RabbitMQ where one is named."""
    if request.param == "pgmq":
        url: str = request.getfixturevalue("pgmq_queue")
        return url
    request.getfixturevalue("pgmq_queue")
    named = os.environ.get("RUBRICSTUDIO_TEST_AMQP")
    return named or pytest.skip("RUBRICSTUDIO_TEST_AMQP names no RabbitMQ")


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    path = tmp_path / "notes"
    path.touch()
    return path


def lines(notes: Path) -> list[str]:
    return notes.read_text().splitlines()


def test_one_worker_takes_tasks_from_every_queue(real_worker, notes):
    real_worker(include=TASKS)

    for queue in queues.QUEUES:
        tasks.note.apply_async((str(notes), queue), queue=queue)

    wait_until(lambda: len(lines(notes)) == len(queues.QUEUES), "a note from each queue")
    assert sorted(lines(notes)) == sorted(queues.QUEUES)


def test_a_worker_takes_only_from_the_queues_it_was_given(real_worker, notes):
    real_worker(include=TASKS, takes=(queues.JUDGING,))

    tasks.note.apply_async((str(notes), "default"), queue=queues.DEFAULT)
    tasks.note.apply_async((str(notes), "judging"), queue=queues.JUDGING)

    wait_until(lambda: lines(notes), "a note")
    assert lines(notes) == ["judging"]
    assert selectors.a_worker_beats(queues.JUDGING)
    assert not selectors.a_worker_beats(queues.DEFAULT)


def test_a_worker_goes_on_beating_while_its_task_runs(real_worker, notes, tmp_path):
    worker = real_worker(include=TASKS)
    tasks.wait_for_file.delay(str(notes), str(tmp_path / "go"))
    wait_until(lambda: lines(notes), "the task to start")
    busy_since = timezone.now()

    seen = wait_until(
        lambda: Worker.objects.filter(name=worker.name, seen_at__gt=busy_since).exists(),
        "a beat during the task",
    )

    assert seen
    assert len(lines(notes)) == 1


def test_a_worker_that_stops_in_order_is_gone_at_once(real_worker):
    worker = real_worker()

    worker.stop()

    assert not Worker.objects.filter(name=worker.name).exists()
    assert worker.process.returncode == 0


def test_a_task_of_a_killed_worker_is_delivered_again(real_worker, notes, tmp_path):
    go = tmp_path / "go"
    victim = real_worker(include=TASKS, QUEUE_VISIBILITY_TIMEOUT="3")
    tasks.wait_for_file.delay(str(notes), str(go))
    wait_until(lambda: lines(notes), "the task to start")

    victim.kill()
    go.touch()
    real_worker(include=TASKS, QUEUE_VISIBILITY_TIMEOUT="3")
    wait_until(lambda: "done" in lines(notes), "the task to be done")

    starts = [line for line in lines(notes) if line.startswith("started")]
    assert len(set(starts)) == 2
    assert lines(notes).count("done") == 1


def test_a_task_whose_pool_process_is_killed_is_delivered_again(real_worker, notes, tmp_path):
    go = tmp_path / "go"
    worker = real_worker(include=TASKS, QUEUE_VISIBILITY_TIMEOUT="3")
    tasks.wait_for_file.delay(str(notes), str(go))
    wait_until(lambda: lines(notes), "the task to start")

    os.kill(int(lines(notes)[0].split()[-1]), 9)
    go.touch()
    wait_until(lambda: "done" in lines(notes), "the task to be done")

    assert worker.takes_tasks()
    assert lines(notes).count("done") == 1


def test_a_hundred_tasks_over_a_kill_are_all_done(real_worker, notes):
    victim = real_worker(include=TASKS, concurrency=2, QUEUE_VISIBILITY_TIMEOUT="5")
    for number in range(100):
        tasks.note.delay(str(notes), str(number))
    wait_until(lambda: len(lines(notes)) >= 20, "some tasks to be done")

    victim.kill()
    real_worker(include=TASKS, concurrency=2, QUEUE_VISIBILITY_TIMEOUT="5")
    wait_until(lambda: len(set(lines(notes))) == 100, "all tasks to be done")

    assert set(lines(notes)) == {str(number) for number in range(100)}


def test_a_job_whose_message_was_lost_is_swept_up_and_carried(real_worker):
    job = services.create_job(
        kind="test", task="tests.workers.tasks.carry_job", arguments={}, project=None
    )
    long_ago = timezone.now() - timedelta(minutes=5)
    Job.objects.filter(pk=job.pk).update(created_at=long_ago, enqueued_at=long_ago)
    real_worker(include=TASKS)

    sweep_jobs()

    wait_until(lambda: Job.objects.get(pk=job.pk).state == Job.State.DONE, "the job to be done")
    assert Job.objects.get(pk=job.pk).result == {"carried": True}


def test_a_job_stays_queued_without_a_worker_and_runs_when_one_comes(real_worker, real_queue):
    job = services.create_job(
        kind="test", task="tests.workers.tasks.carry_job", arguments={}, project=None
    )
    enqueue_job(job.pk)
    assert not selectors.living_workers().exists()

    real_worker(include=TASKS)

    wait_until(lambda: Job.objects.get(pk=job.pk).state == Job.State.DONE, "the job to be done")


def test_a_message_that_expired_before_a_worker_came_is_dropped(real_worker, real_queue, notes):
    tasks.note.apply_async((str(notes), "old"), expires=0.01)
    time.sleep(0.02)
    tasks.note.delay(str(notes), "new")

    real_worker(include=TASKS)

    wait_until(lambda: lines(notes), "a note")
    assert lines(notes) == ["new"]
