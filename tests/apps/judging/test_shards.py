"""Who carries a shard: claims, beats, and what becomes of shards whose worker is gone."""

from datetime import timedelta

import pytest
from django.utils import timezone

from apps.judging import selectors, services
from apps.judging.models import JudgeRun, Shard, Verdict
from apps.judging.services import shards
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def run(fill):
    """A run of three shards, one rollout of three cells each."""
    project = fill(rollouts=3, criteria=2)
    run = factories.make_run(project, expected=9)
    prompt = project.prompts.get()
    for rollout in project.rollouts.order_by("number"):
        pair = (rollout, prompt.current.specs.get())
        factories.make_shard(run, pair, enqueued_at=None)
    return run


def the_shard(run, position=0):
    return run.shards.get(position=position)


def claim(run, position=0):
    return shards.claim_shard(shard_id=the_shard(run, position).pk, worker="a worker")


def fall_silent(*claims):
    long_ago = timezone.now() - timedelta(minutes=10)
    pks = [one.shard_id for one in claims]
    Shard.objects.filter(pk__in=pks).update(heartbeat_at=long_ago, in_flight=2)


def test_the_first_claim_sets_the_run_going(run):
    claim(run)

    run.refresh_from_db()
    assert run.state == JudgeRun.State.RUNNING
    assert the_shard(run).state == Shard.State.RUNNING


def test_a_shard_is_claimed_once(run):
    claim(run)

    assert claim(run) is None


@pytest.mark.parametrize("state", ["paused", "cancelled"])
def test_nothing_is_claimed_of_a_run_that_stands_still_or_is_over(run, state):
    ended = timezone.now() if state == "cancelled" else None
    JudgeRun.objects.update(state=state, finished_at=ended)

    assert claim(run) is None


def test_the_next_claim_takes_the_first_free_shard(run):
    claim(run, 0)

    taken = shards.claim_next(run_id=run.pk, worker="another")

    assert taken is not None
    assert taken.shard_id == the_shard(run, 1).pk


def test_a_beat_tells_which_shards_are_still_held_and_how_the_run_is(run):
    kept, lost = claim(run, 0), claim(run, 1)
    Shard.objects.filter(pk=lost.shard_id).update(state=Shard.State.QUEUED, claim=None)

    standing = shards.beat(in_flight={kept: 3, lost: 1})

    assert standing == shards.Standing(frozenset({kept.shard_id}), is_carried=True)
    assert the_shard(run).in_flight == 3


def test_a_beat_tells_that_the_run_was_stopped(run):
    mine = claim(run)
    services.pause_run(run=run)

    assert not shards.beat(in_flight={mine: 1}).is_carried


def test_a_released_shard_is_free_again_and_what_ended_well_is_no_attempt(run):
    shards.release_shard(claim=claim(run), ended_well=True)

    free = the_shard(run)
    assert (free.state, free.claim, free.attempts) == (Shard.State.QUEUED, None, 0)


def test_a_worker_whose_claim_was_lost_can_neither_finish_nor_release(run):
    mine = claim(run)
    Shard.objects.filter(pk=mine.shard_id).update(state=Shard.State.QUEUED, claim=None)
    theirs = claim(run)

    assert not shards.finish_shard(claim=mine)
    assert not shards.release_shard(claim=mine, ended_well=True)
    assert the_shard(run).claim == theirs.token


def test_a_silent_worker_loses_its_shard_and_what_it_was_asking_counts_as_repeated(run):
    fall_silent(claim(run))

    services.requeue_lost_shards()

    freed = the_shard(run)
    assert (freed.state, freed.claim, freed.repeated) == (Shard.State.QUEUED, None, 2)


def test_a_worker_that_beats_keeps_its_shard(run):
    claim(run)

    services.requeue_lost_shards()

    assert the_shard(run).state == Shard.State.RUNNING


def test_runs_with_something_to_enqueue_are_named(run):
    fall_silent(claim(run))

    assert services.requeue_lost_shards() == [run.pk]


def test_a_shard_that_lost_too_many_workers_is_given_up_and_its_cells_have_failed(run):
    for _ in range(shards.MOST_ATTEMPTS):
        fall_silent(claim(run))
        services.requeue_lost_shards()

    assert the_shard(run).state == Shard.State.FAILED
    assert selectors.progress_of(run).failed_by_cause == {"lost_worker": 3}


def test_a_run_whose_last_shard_is_given_up_is_over(run):
    for position in range(3):
        for _ in range(shards.MOST_ATTEMPTS):
            fall_silent(claim(run, position))
            services.requeue_lost_shards()

    run.refresh_from_db()
    assert run.state == JudgeRun.State.DONE
    assert Verdict.objects.filter(state="failed").count() == run.expected


def test_only_so_many_messages_of_a_run_are_in_the_queue(run, monkeypatch):
    monkeypatch.setattr(shards, "AHEAD", 2)

    first = services.take_for_queue(run_id=run.pk)
    at_once = services.take_for_queue(run_id=run.pk)
    shards.claim_shard(shard_id=first[0], worker="a worker")
    later = services.take_for_queue(run_id=run.pk)

    assert first == [the_shard(run, 0).pk, the_shard(run, 1).pk]
    assert at_once == []
    assert later == [the_shard(run, 2).pk]


def test_a_shard_whose_message_was_lost_is_enqueued_again(run):
    sent = services.take_for_queue(run_id=run.pk)
    Shard.objects.update(enqueued_at=timezone.now() - timedelta(hours=1))

    services.requeue_lost_shards()

    assert services.take_for_queue(run_id=run.pk) == sent


def test_a_run_ends_only_when_every_expected_cell_has_its_row(run):
    for position in range(3):
        shards.finish_shard(claim=claim(run, position))

    run.refresh_from_db()
    assert (run.state, run.block_cause) == (JudgeRun.State.FAILED, "miscounted")
    assert "expected 9 verdicts and has 0" in run.block_reason
