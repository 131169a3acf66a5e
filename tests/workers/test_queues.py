"""What runs by the clock exists, and what runs waits in the queue that is meant for it."""

import os
from collections.abc import Iterator
from urllib.parse import quote

import psycopg
import pytest
from django.conf import settings
from kombu import Connection
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict

from rubricstudio.local import paths
from rubricstudio.local.queue import install_queue
from rubricstudio.settings.database import parse_database_url
from tests.workers.harness import PATIENCE, transport_options
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


@pytest.fixture
def odd_database() -> Iterator[str]:
    """The address of a database whose name, user and password hold whatever SQL allows."""
    server = os.environ["DATABASE_URL"]
    name, user, password = f"Räd Test's {os.getpid()}", f"Ann O'Neil {os.getpid()}", "p@ss w\\rd'"
    names = {"name": sql.Identifier(name), "user": sql.Identifier(user), "password": password}
    made = ["CREATE ROLE {user} LOGIN PASSWORD {password}", "CREATE DATABASE {name} OWNER {user}"]
    undone = ["DROP DATABASE {name} WITH (FORCE)", "DROP ROLE {user}"]
    told = conninfo_to_dict(server)
    where = "&".join(f"{key}={quote(str(told[key]))}" for key in ("host", "port") if key in told)
    with psycopg.connect(server, autocommit=True) as administrator:
        for statement in made:
            administrator.execute(sql.SQL(statement).format(**names))
        yield f"postgresql://{quote(user)}:{quote(password)}@/{quote(name)}?{where}&sslmode=prefer"
        for statement in undone:
            administrator.execute(sql.SQL(statement).format(**names))


def test_the_queue_works_in_a_database_of_any_name(odd_database, monkeypatch):
    monkeypatch.setenv("DATABASE_URL", odd_database)
    monkeypatch.delenv("CELERY_BROKER_URL", raising=False)
    with psycopg.connect(odd_database) as database:
        install_queue(database)

    with (
        Connection(paths.broker_url(), transport_options=transport_options()) as broker,
        broker.SimpleQueue("work") as queue,
    ):
        queue.put({"all": "well"})
        message = queue.get(timeout=PATIENCE)
        message.ack()

    assert message.payload == {"all": "well"}


def test_the_tables_are_read_in_a_database_of_any_name(odd_database):
    told = parse_database_url(odd_database)

    with psycopg.connect(
        host=told["HOST"],
        port=told["PORT"] or None,
        dbname=told["NAME"],
        user=told["USER"],
        password=told["PASSWORD"],
        **told["OPTIONS"],
    ) as database:
        assert database.info.dbname.startswith("Räd Test's")
