"""Beats for a job from a thread of its own, while the work is one long transaction."""

from __future__ import annotations

import copy
import threading
from types import TracebackType

from django.db import connection

from apps.activity.models import Job
from apps.activity.services.jobs import beat

BEAT_SECONDS = 1.0


class Beating:
    """A context manager around the transaction; leave it after that has ended.

    What the transaction wrote is not seen before its end, so another connection tells how far the
    work is, and learns that it is wanted no more. `done` is what it tells.
    """

    def __init__(self, job: Job) -> None:
        self.done = 0
        self.lost = False
        self._job = copy.copy(job)
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._beat, name=f"beats of job {job.pk}")

    def __enter__(self) -> Beating:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._ended.set()
        self._thread.join()

    def _beat(self) -> None:
        try:
            while not self._ended.wait(BEAT_SECONDS):
                if not beat(job=self._job, done=self.done):
                    self.lost = not self._ended.is_set()
                    return
        finally:
            connection.close()
