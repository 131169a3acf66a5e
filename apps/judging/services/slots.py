"""The slots of an endpoint as one run uses them: a question that waits for one can be given up.

A run that is stopped must not ask anything more, and a question without a slot has not been asked
yet. So those that wait are sent away, and those that have their slot are left to finish.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass
from typing import cast

from rubricstudio.llm.client import JudgeItem, Limiter


class NoSlot(Exception):
    """The question was given up while it waited for a slot."""


@dataclass
class Asking:
    """The question that a task of the loop is busy with."""

    item: JudgeItem
    begun: bool = False


ASKING: ContextVar[Asking] = ContextVar("asking")


class Slots:
    """A `Limiter` over another one. Everything here happens in the event loop."""

    def __init__(self, inner: Limiter, *, on_begin: Callable[[JudgeItem], None]) -> None:
        self._inner = inner
        self._on_begin = on_begin
        self._closed = False
        self._waiting: set[asyncio.Task[object]] = set()
        self._sent_away: set[asyncio.Task[object]] = set()

    async def acquire(self) -> None:
        """Raises NoSlot when the question is given up."""
        if self._closed:
            raise NoSlot
        await self._wait()
        asking = ASKING.get()
        if not asking.begun:
            asking.begun = True
            self._on_begin(asking.item)

    async def _wait(self) -> None:
        task = cast("asyncio.Task[object]", asyncio.current_task())
        self._waiting.add(task)
        try:
            await self._inner.acquire()
        except asyncio.CancelledError:
            if task not in self._sent_away:
                raise
            task.uncancel()
            raise NoSlot from None
        finally:
            self._waiting.discard(task)
            self._sent_away.discard(task)

    def release(self) -> None:
        self._inner.release()

    def slow_down(self, seconds: float) -> None:
        self._inner.slow_down(seconds)

    def send_away(self, *, close: bool) -> None:
        """Give up the questions that wait now and, when closed, those that would wait later."""
        self._closed = self._closed or close
        for task in self._waiting - self._sent_away:
            self._sent_away.add(task)
            task.cancel()
