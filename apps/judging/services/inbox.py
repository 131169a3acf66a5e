"""Where the event loop leaves answers and the thread that stores them finds them.

A question stays open until its answer is stored: `put` waits for that. So the answers a killed
worker takes with it, in flight or not yet stored, are never more than its questions at once.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Sequence
from typing import NamedTuple

from apps.judging.services.keys import CellKey, key_of
from rubricstudio.llm.client import Answered, JudgeItem

LARGEST_BATCH = 64
OLDEST = 0.25
"""Seconds that an answer waits for others to be stored with; well below the 1 s of the promise."""


class Answer(NamedTuple):
    """An answer that waits to be stored."""

    item: JudgeItem
    asked: Answered
    stored: asyncio.Future[None]

    @property
    def key(self) -> CellKey:
        return key_of(self.item)


class Inbox:
    """Answers on their way from one event loop to one storing thread."""

    def __init__(self, *, questions_at_once: int) -> None:
        # A quarter: the others are still being asked while these are stored.
        self._enough = max(1, min(LARGEST_BATCH, questions_at_once // 4))
        self._answers: list[Answer] = []
        self._oldest = 0.0
        self._closed = False
        self._changed = threading.Condition()

    async def put(self, item: JudgeItem, asked: Answered) -> None:
        """Leave an answer and wait until it is stored."""
        stored: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        with self._changed:
            if not self._answers:
                self._oldest = time.monotonic()
            self._answers.append(Answer(item, asked, stored))
            if len(self._answers) in (1, self._enough):
                self._changed.notify()
        await stored

    def close(self) -> None:
        """No more answers will come."""
        with self._changed:
            self._closed = True
            self._changed.notify()

    def take(self, *, seconds: float) -> list[Answer] | None:
        """Answers to store; empty when none came for so long, None when none will come."""
        until = time.monotonic() + seconds
        with self._changed:
            while not self._closed and (wait := self._wait(until)) > 0:
                self._changed.wait(wait)
            if self._closed and not self._answers:
                return None
            taken, self._answers = self._answers[:LARGEST_BATCH], self._answers[LARGEST_BATCH:]
            return taken

    def _wait(self, until: float) -> float:
        """Seconds until there is something to do."""
        if len(self._answers) >= self._enough:
            return 0.0
        if self._answers:
            until = min(until, self._oldest + OLDEST)
        return until - time.monotonic()


def let_go(answers: Sequence[Answer]) -> None:
    """The answers are stored, or given up: their questions are no longer open."""
    if answers:
        answers[0].stored.get_loop().call_soon_threadsafe(_let_go, [one.stored for one in answers])


def _let_go(waiting: Sequence[asyncio.Future[None]]) -> None:
    for one in waiting:
        if not one.done():
            one.set_result(None)
