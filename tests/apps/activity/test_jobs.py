"""A job moves only along its life, and only for whoever holds it."""

from datetime import timedelta

import pytest
from django.utils import timezone

from apps.activity import services
from apps.activity.models import Job

pytestmark = pytest.mark.django_db
State = Job.State


def make_job(**values):
    return services.create_job(
        kind="test", task="tests.nothing", arguments={}, project=None, **values
    )


def running_job(worker="one"):
    job = make_job()
    services.start_job(job=job, worker=worker)
    return job


def age(job, **ages):
    """Move dates of the job into the past, by seconds."""
    now = timezone.now()
    dates = {name: now - timedelta(seconds=seconds) for name, seconds in ages.items()}
    Job.objects.filter(pk=job.pk).update(**dates)


def test_only_one_worker_can_start_a_queued_job():
    job = make_job()

    first = services.start_job(job=Job.objects.get(pk=job.pk), worker="one")
    second = services.start_job(job=Job.objects.get(pk=job.pk), worker="two")

    job.refresh_from_db()
    assert (first, second, job.worker) == (True, False, "one")


def test_a_finished_job_keeps_its_result_and_its_date():
    job = running_job()

    services.finish_job(job=job, result={"specs": 3})

    assert (job.state, job.result) == (State.DONE, {"specs": 3})
    assert job.finished_at is not None


def test_a_beat_tells_progress():
    job = running_job()

    goes_on = services.beat(job=job, done=7)

    assert goes_on
    assert job.done == 7


def test_a_beat_of_a_cancelled_job_says_stop():
    job = running_job()
    services.cancel_job(job=Job.objects.get(pk=job.pk))

    assert services.beat(job=job) is False


@pytest.mark.parametrize("move", [services.pause_job, services.cancel_job])
def test_a_worker_cannot_finish_what_a_person_stopped(move):
    job = running_job()
    move(job=Job.objects.get(pk=job.pk))

    assert services.finish_job(job=job, result={}) is False


@pytest.mark.parametrize("prepare", [make_job, running_job])
def test_a_job_can_be_cancelled_from_any_open_state(prepare):
    job = prepare()

    services.cancel_job(job=job)

    assert job.state == State.CANCELLED


def test_a_paused_job_waits_with_its_reason_and_can_be_cancelled():
    job = running_job()

    services.pause_job(job=job, reason="The model server does not answer: start it.")
    assert job.error == "The model server does not answer: start it."

    services.cancel_job(job=job)
    assert job.state == State.CANCELLED


def test_a_resumed_job_is_queued_without_its_reason():
    job = running_job()
    services.pause_job(job=job, reason="wait")

    services.resume_job(job=job)

    assert (job.state, job.error) == (State.QUEUED, "")


def test_a_final_job_does_not_move_again():
    job = running_job()
    services.fail_job(job=job, cause="transport", error="The model server went away.")

    moved = [
        services.cancel_job(job=job),
        services.pause_job(job=job),
        services.resume_job(job=job),
        services.start_job(job=job, worker="two"),
        services.fail_job(job=job, cause="other", error="other"),
    ]

    assert moved == [False] * 5
    assert job.error_cause == "transport"


def test_a_silent_job_is_queued_again():
    job = running_job()
    age(job, heartbeat_at=61)

    released = services.release_lost_jobs()

    assert released.queued == [job.pk]
    assert Job.objects.get(pk=job.pk).state == State.QUEUED


def test_a_beating_job_stays_with_its_worker():
    job = running_job()
    age(job, heartbeat_at=30)

    assert services.release_lost_jobs() == ([], [])


def test_a_job_that_many_workers_carry_is_left_to_whoever_made_it():
    job = running_job(worker="")
    age(job, heartbeat_at=61)

    assert services.release_lost_jobs() == ([], [])


def test_a_job_that_lost_three_workers_fails_and_says_so():
    job = make_job()
    for worker in ("one", "two", "three"):
        services.start_job(job=job, worker=worker)
        age(job, heartbeat_at=61)
        released = services.release_lost_jobs()

    job.refresh_from_db()
    assert released.failed == [job.pk]
    assert (job.state, job.error_cause) == (State.FAILED, "lost_worker")
    assert job.error


def test_a_worker_that_lost_its_job_to_another_moves_it_no_more():
    job = make_job()
    late = Job.objects.get(pk=job.pk)
    services.start_job(job=late, worker="late")
    age(job, heartbeat_at=61)
    services.release_lost_jobs()
    services.start_job(job=job, worker="new")

    assert services.beat(job=late) is False
    assert services.finish_job(job=late, result={"from": "late"}) is False


def test_a_queued_job_is_overdue_when_its_message_is_a_minute_old():
    fresh, overdue = make_job(), make_job()
    age(overdue, created_at=61, enqueued_at=61)

    claimed = services.claim_overdue_jobs()

    assert claimed == [overdue.pk]
    assert fresh.pk not in claimed


def test_the_wait_for_a_message_doubles_with_the_age_of_the_job():
    job = make_job()
    # Enqueued again 100 s after its creation, 90 s ago: the next one is due after 100 s.
    age(job, created_at=190, enqueued_at=90)
    early = services.claim_overdue_jobs()
    age(job, created_at=201, enqueued_at=101)

    assert (early, services.claim_overdue_jobs()) == ([], [job.pk])


def test_the_wait_for_a_message_is_an_hour_at_most():
    job = make_job()
    age(job, created_at=100_000, enqueued_at=3_601)

    assert services.claim_overdue_jobs() == [job.pk]


def test_a_swept_job_is_not_swept_again_at_once():
    age(make_job(), created_at=61, enqueued_at=61)
    services.claim_overdue_jobs()

    assert services.claim_overdue_jobs() == []


def test_a_released_job_is_queued_again_and_its_losses_are_forgotten():
    job = running_job()

    services.release_job(job=job)

    assert (job.state, job.attempts) == (State.QUEUED, 0)
    assert services.start_job(job=job, worker="two")


def test_a_worker_cannot_release_what_another_one_holds():
    job = make_job()
    late = Job.objects.get(pk=job.pk)
    services.start_job(job=late, worker="late")
    age(job, heartbeat_at=61)
    services.release_lost_jobs()
    services.start_job(job=job, worker="new")

    assert services.release_job(job=late) is False
