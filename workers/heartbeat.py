"""A worker says every few seconds that it lives, as long as it is connected to the queue.

The thread that says so runs in the worker's main process, where no task runs, so a long task does
not silence it. It opens a connection for each beat and closes it again: a pool child that is
forked in the meantime inherits none that is in use.
"""

from __future__ import annotations

import logging
import os
from threading import Event, Thread
from typing import Any

from celery import bootsteps
from celery.worker.consumer.tasks import Tasks
from django.db import Error, connection
from django.utils import timezone

logger = logging.getLogger(__name__)

SECONDS = 3.0


class Heartbeat(bootsteps.StartStopStep):
    """Beats from the moment the worker takes tasks until it stops or loses the queue."""

    requires = (Tasks,)

    def __init__(self, consumer: Any, **options: Any) -> None:
        super().__init__(consumer, **options)
        self._over = Event()
        self._thread: Thread | None = None

    def start(self, consumer: Any) -> None:
        queues = sorted(queue.name for queue in consumer.task_consumer.queues)
        self._over = Event()
        self._thread = Thread(
            target=_beat, args=(consumer.hostname, queues, self._over), daemon=True
        )
        self._thread.start()

    def stop(self, consumer: Any) -> None:
        if self._thread is None:
            return
        self._over.set()
        self._thread.join(SECONDS)
        self._thread = None

    shutdown = stop


def _beat(name: str, queues: list[str], over: Event) -> None:
    from apps.activity import services  # models are there only once Django is set up

    started_at = timezone.now()
    worker = {"name": name, "pid": os.getpid()}
    while True:
        _tell(services.note_worker, **worker, queues=queues, started_at=started_at)
        if over.wait(SECONDS):
            break
    _tell(services.remove_worker, **worker)


def _tell(service: Any, **values: Any) -> None:
    try:
        service(**values)
    except Error as error:
        logger.warning("heartbeat not written: %s", error)
    finally:
        connection.close()
