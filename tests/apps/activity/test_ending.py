"""A worker that was told to stop tells its tasks (by a real one: judging/test_real_workers)."""

import pytest
from celery.signals import worker_shutting_down

from apps.activity import ending
from apps.judging import services as judging
from apps.judging import tasks as judging_tasks
from apps.specs import services as specs
from apps.specs import tasks as specs_tasks
from tests.factories import make_project, make_prompt


@pytest.fixture
def tell():
    """Says to this process what Celery says to a worker that gets SIGTERM."""
    yield lambda: worker_shutting_down.send(sender="a worker")
    ending._told.clear()


def test_nobody_ends_before_it_was_told(tell):
    before = ending.is_ending()

    tell()

    assert (before, ending.is_ending()) == (False, True)


@pytest.mark.django_db
def test_the_tasks_that_take_long_ask_whether_they_are_to_end(tell, monkeypatch):
    told = []
    prompt = make_prompt(make_project())
    job = specs.start_making(project=prompt.project, use_model=False)

    def judge_shard(*, ending, **_values):
        told.append(ending())
        return judging.Carried(run_id=0)

    def carry_making(*, ending, **_values):
        told.append(ending())
        return False

    monkeypatch.setattr(judging, "judge_shard", judge_shard)
    monkeypatch.setattr(specs, "carry_making", carry_making)
    tell()
    judging_tasks.judge_shard(0)
    specs_tasks.make_specs(job.pk)

    assert told == [True, True]
