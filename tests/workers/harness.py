"""A real worker in a process of its own, on a real queue, against the test database.

from tests.workers.harness import queue_url, real_queue, real_worker, wait_until

@pytest.mark.django_db(transaction=True)      # so that the worker sees the test's rows
def test_…(real_worker):
    worker = real_worker()                    # waits until it takes tasks
    some_task.delay(…)                        # goes through the queue, nothing is eager
    wait_until(lambda: …)
    worker.kill()                             # kill -9, pool children included
"""

from __future__ import annotations

import contextlib
import itertools
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import quote, urlencode

import pytest
from amqp.exceptions import ResourceLocked
from django.conf import settings
from django.db import connection
from kombu import Connection, Queue, pools

from apps.activity import selectors
from rubricstudio.local import paths
from tests.shared_data import ROOT
from workers import queues
from workers.celery import app

PATIENCE = 240.0  # a worker takes long to load on a machine that is busy with other things
IN_USE = Queue("rubricstudio.test.in-use", exclusive=True)
_numbers = itertools.count(1)


def wait_until(holds: Callable[[], Any], what: str = "") -> Any:
    """The first true value of `holds`; the test fails when none comes in time."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        if found := holds():
            return found
        time.sleep(0.05)
    return pytest.fail(f"waited {PATIENCE:.0f} s in vain: {what or holds}")


def database_url() -> str:
    """The address of the database that this test uses."""
    parts = connection.settings_dict
    password = f":{quote(parts['PASSWORD'])}" if parts["PASSWORD"] else ""
    where = {"host": parts["HOST"], "port": parts["PORT"]}
    query = urlencode({key: value for key, value in where.items() if value})
    return f"postgresql://{quote(parts['USER'])}{password}@/{quote(parts['NAME'])}?{query}"


@dataclass
class RealWorker:
    """A worker process with its pool; `log` is where it writes."""

    name: str
    process: subprocess.Popen[bytes]
    log: Path

    def takes_tasks(self) -> bool:
        if self.process.poll() is not None:
            pytest.fail(f"the worker ended early:\n{self.log.read_text()[-4000:]}")
        return selectors.living_workers().filter(name=self.name, pid=self.process.pid).exists()

    def kill(self) -> None:
        """End it and its pool at once, in the middle of whatever they do."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def stop(self) -> None:
        """End it in order: what runs is finished, nothing more is taken."""
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(PATIENCE)


class StartWorker(Protocol):
    """Starts a worker and waits until it takes tasks; `environment` goes to its process."""

    def __call__(
        self,
        *,
        takes: tuple[str, ...] = queues.QUEUES,
        concurrency: int = 1,
        include: tuple[str, ...] = (),
        **environment: str,
    ) -> RealWorker: ...


@pytest.fixture
def queue_url(transactional_db: None, monkeypatch: pytest.MonkeyPatch) -> str:
    """The queue on the test's own database; a test module may name another one."""
    monkeypatch.setenv("DATABASE_URL", database_url())
    monkeypatch.delenv("CELERY_BROKER_URL", raising=False)
    return paths.broker_url()


@pytest.fixture
def real_queue(queue_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """An empty queue to which this process sends its tasks, instead of running them itself."""
    monkeypatch.setenv("CELERY_BROKER_URL", queue_url)
    monkeypatch.setitem(app.conf, "task_always_eager", False)
    monkeypatch.setitem(app.conf, "broker_url", queue_url)
    options = transport_options() if queue_url.startswith("pgmq") else {}
    monkeypatch.setitem(app.conf, "broker_transport_options", options)
    _forget_connections()
    with contextlib.nullcontext() if queue_url.startswith("pgmq") else alone_on(queue_url):
        _empty_queues()
        yield queue_url
        _empty_queues()
    _forget_connections()


def transport_options() -> dict[str, Any]:
    """How a queue is reached in the database that the environment names now."""
    return {**settings.CELERY_BROKER_TRANSPORT_OPTIONS, "conn_string": paths.queue_connection()}


@contextlib.contextmanager
def alone_on(url: str) -> Iterator[None]:
    """Have the queues of a broker alone: whoever else takes tasks from them would take ours.

    The broker itself keeps other tests away, however far off they run: it lets one connection at
    a time declare a queue as its own, and forgets that queue with the connection.
    """
    with Connection(url) as broker:
        others = f"others to take no tasks from {broker.as_uri()} any more"
        wait_until(lambda: _is_ours(broker), others)
        yield


def _is_ours(broker: Connection) -> bool:
    with broker.channel() as channel:
        try:
            IN_USE(channel).declare()
        except ResourceLocked:
            return False
        declared: list[Any] = [queue(channel).queue_declare() for queue in app.amqp.queues.values()]
        return not any(queue.consumer_count for queue in declared)


@pytest.fixture
def real_worker(real_queue: str, tmp_path: Path) -> Iterator[StartWorker]:
    """Starts workers that end with the test."""
    workers: list[RealWorker] = []

    def start(
        *,
        takes: tuple[str, ...] = queues.QUEUES,
        concurrency: int = 1,
        include: tuple[str, ...] = (),
        **environment: str,
    ) -> RealWorker:
        name = f"test-{os.getpid()}-{next(_numbers)}@localhost"
        command = [
            *(sys.executable, "-m", "celery", "-A", "workers.celery", "worker", "--loglevel=INFO"),
            *("-n", name, "-Q", ",".join(takes), "-c", str(concurrency)),
            *(f"--include={module}" for module in include),
        ]
        log = tmp_path / f"{name}.log"
        with log.open("wb") as output:
            process = subprocess.Popen(
                command,
                cwd=ROOT,
                env={**_environment(tmp_path), **environment},
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        workers.append(RealWorker(name, process, log))
        wait_until(workers[-1].takes_tasks, f"the worker to take tasks, see {log}")
        return workers[-1]

    yield start
    for worker in workers:
        worker.kill()


def _environment(data: Path) -> dict[str, str]:
    return {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "rubricstudio.settings.dev",
        "RUBRICSTUDIO_DATA": str(data),
        "PYTHONWARNINGS": "",
    }


def _empty_queues() -> None:
    with app.connection_for_write() as broker, broker.channel() as channel:
        for queue in app.amqp.queues.values():
            bound = queue(channel)
            bound.declare()
            bound.purge()


def _forget_connections() -> None:
    """Close what this process holds open to a queue; an open one would keep the database."""
    pools.reset()
    forgetful: Any = app
    forgetful._after_fork()
