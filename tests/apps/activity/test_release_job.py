"""A long job goes on in turns: whoever ends a turn gives it back to the queue."""

import pytest

from apps.activity import services
from apps.activity.models import Job

pytestmark = pytest.mark.django_db


def running_job(worker="one"):
    job = services.create_job(kind="test", task="tests.nothing", arguments={}, project=None)
    services.start_job(job=job, worker=worker)
    return job


def test_a_released_job_can_be_claimed_by_another_worker():
    job = running_job()

    services.release_job(job=job)

    assert services.start_job(job=Job.objects.get(pk=job.pk), worker="two")


def test_turns_that_ended_well_do_not_count_as_lost_workers():
    job = running_job()

    services.release_job(job=job)

    assert (job.state, job.attempts) == (Job.State.QUEUED, 0)


def test_a_worker_whose_turn_is_over_moves_nothing_any_more():
    first = running_job("one")
    stale = Job.objects.get(pk=first.pk)
    services.release_job(job=first)
    services.start_job(job=Job.objects.get(pk=first.pk), worker="two")

    assert not services.beat(job=stale, done=3)
