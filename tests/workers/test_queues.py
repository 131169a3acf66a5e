"""What runs by the clock exists, and what runs waits in the queue that is meant for it."""

import pytest
from django.conf import settings

from workers import queues
from workers.beat import SCHEDULE
from workers.celery import app


@pytest.fixture(scope="module", autouse=True)
def every_task():
    app.loader.import_default_modules()


def queue_of(task: str) -> str:
    return str(app.amqp.router.route({}, task)["queue"].name)


@pytest.mark.parametrize("entry", SCHEDULE.values(), ids=SCHEDULE)
def test_what_runs_by_the_clock_is_a_task(entry):
    assert entry["task"] in app.tasks


@pytest.mark.parametrize("entry", SCHEDULE.values(), ids=SCHEDULE)
def test_what_runs_by_the_clock_never_waits_behind_long_work(entry):
    assert entry["options"]["queue"] == queues.DEFAULT


@pytest.mark.parametrize("entry", SCHEDULE.values(), ids=SCHEDULE)
def test_messages_of_the_clock_do_not_pile_up_without_a_worker(entry):
    assert entry["options"]["expires"] <= entry["schedule"]


@pytest.mark.parametrize(
    ("task", "queue"),
    [
        ("apps.specs.tasks.make_specs", queues.GENERATION),
        ("apps.judging.tasks.judge_shard", queues.JUDGING),
        ("apps.activity.tasks.sweep_jobs", queues.DEFAULT),
    ],
)
def test_a_task_waits_in_the_queue_of_its_step(task, queue):
    assert queue_of(task) == queue


def test_every_task_survives_the_loss_of_its_worker():
    assert app.conf.task_acks_late
    assert app.conf.task_reject_on_worker_lost


def test_beat_remembers_in_the_data_folder():
    assert app.conf.beat_schedule_filename.startswith(str(settings.DATA_DIR))


def test_a_worker_is_controlled_from_afar_on_a_broker_of_its_own_only():
    assert queues.configuration("amqp://host")["worker_enable_remote_control"]
    assert not queues.configuration("pgmq://host")["worker_enable_remote_control"]
