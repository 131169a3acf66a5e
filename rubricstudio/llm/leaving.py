"""Giving up questions that are being asked, without losing what was asked so far.

Whoever asks sees a question that was given up come back as cancelled, with every attempt it made.
A cancellation from elsewhere stays a cancellation.
"""

import asyncio
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from rubricstudio.llm.client import Limiter
from rubricstudio.llm.errors import GivenUp

Task = asyncio.Task[Any]


class WayOut:
    """The questions under way in one event loop; several models may share it."""

    def __init__(self) -> None:
        self._closed = False
        self._asking: set[Task] = set()
        self._waiting: set[Task] = set()
        self._given_up: set[Task] = set()

    @contextmanager
    def around_question(self) -> Iterator[None]:
        """Raises :class:`GivenUp` when the question inside is given up."""
        task = _this_task()
        self._asking.add(task)
        try:
            yield
        except asyncio.CancelledError:
            if task not in self._given_up or task.uncancel() > 0:
                raise
            raise GivenUp from None
        finally:
            self._asking.discard(task)
            self._given_up.discard(task)

    async def wait_for_slot(self, limiter: Limiter) -> None:
        """Take a slot for the question; raises :class:`GivenUp` where nothing more is asked."""
        if self._closed:
            raise GivenUp
        task = _this_task()
        self._waiting.add(task)
        try:
            await limiter.acquire()
        finally:
            self._waiting.discard(task)

    def send_away(self, *, close: bool) -> None:
        """Give up the questions that wait for a slot and, closed, those that would wait later."""
        self._closed = self._closed or close
        self._leave(self._waiting)

    def give_up(self) -> None:
        """Give up every question, also those whose answer is on its way; none is asked later."""
        self._closed = True
        self._leave(self._asking)

    def _leave(self, tasks: Iterable[Task]) -> None:
        for task in set(tasks) - self._given_up:
            self._given_up.add(task)
            task.cancel()


def _this_task() -> Task:
    task = asyncio.current_task()
    assert task is not None  # noqa: S101 - a question is asked inside an event loop
    return task
