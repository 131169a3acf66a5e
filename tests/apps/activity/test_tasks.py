"""Upkeep as beat calls it: lost messages are sent again, lost work goes on."""

from datetime import timedelta

import pytest
from celery import shared_task
from django.utils import timezone

from apps.activity import selectors, services, tasks
from apps.activity.models import Job, Worker

pytestmark = pytest.mark.django_db
carried: list[tuple[int, str]] = []


@shared_task(name="tests.carry")
def carry(job_id: int, word: str) -> None:
    carried.append((job_id, word))


@pytest.fixture(autouse=True)
def nothing_carried():
    carried.clear()


def make_job(task="tests.carry", **ages):
    job = services.create_job(kind="test", task=task, arguments={"word": "tide"}, project=None)
    return aged(job, **ages)


def aged(job, **ages):
    now = timezone.now()
    dates = {name: now - timedelta(seconds=seconds) for name, seconds in ages.items()}
    Job.objects.filter(pk=job.pk).update(**dates) if dates else None
    return job


def test_a_job_is_enqueued_with_its_id_and_its_arguments():
    job = make_job()

    tasks.enqueue_job(job.pk)

    assert carried == [(job.pk, "tide")]


def test_a_job_whose_task_is_gone_fails_and_says_so():
    job = make_job(task="tests.gone")

    tasks.enqueue_job(job.pk)

    job.refresh_from_db()
    assert (job.state, job.error_cause) == (Job.State.FAILED, "unknown_task")
    assert "tests.gone" in job.error


def test_the_sweeper_sends_overdue_jobs_only():
    overdue = make_job(created_at=61, enqueued_at=61)
    make_job()

    assert tasks.sweep_jobs() == 1
    assert carried == [(overdue.pk, "tide")]


def test_the_reaper_sends_the_job_of_a_silent_worker():
    job = make_job()
    services.start_job(job=job, worker="one")
    aged(job, heartbeat_at=61)

    assert tasks.reap_jobs() == 1
    assert carried == [(job.pk, "tide")]


def test_the_reaper_forgets_workers_that_are_long_gone():
    now = timezone.now()
    for name, age in (("old", timedelta(days=2)), ("recent", timedelta(hours=1))):
        services.note_worker(name=name, pid=1, queues=[], started_at=now)
        Worker.objects.filter(name=name).update(seen_at=now - age)

    tasks.reap_jobs()

    assert list(Worker.objects.values_list("name", flat=True)) == ["recent"]


def test_a_worker_beats_for_its_own_queues():
    services.note_worker(name="one", pid=1, queues=["judging"], started_at=timezone.now())

    assert selectors.a_worker_beats("judging")
    assert not selectors.a_worker_beats("default")


def test_a_worker_that_was_not_seen_lately_does_not_count(settings):
    services.note_worker(name="one", pid=1, queues=["judging"], started_at=timezone.now())
    silence = timedelta(seconds=settings.WORKER_SEEN_WITHIN_SECONDS + 1)
    Worker.objects.update(seen_at=timezone.now() - silence)

    assert not selectors.living_workers().exists()


def test_a_worker_that_took_a_name_over_stays_when_the_old_one_ends():
    now = timezone.now()
    services.note_worker(name="one", pid=1, queues=[], started_at=now)
    services.note_worker(name="one", pid=2, queues=[], started_at=now)

    services.remove_worker(name="one", pid=1)

    assert Worker.objects.get().pid == 2
