"""The slots of an endpoint as one run uses them: a question begins when it gets its first one."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass

from rubricstudio.llm.client import JudgeItem, Limiter


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

    async def acquire(self) -> None:
        await self._inner.acquire()
        asking = ASKING.get()
        if not asking.begun:
            asking.begun = True
            self._on_begin(asking.item)

    def release(self) -> None:
        self._inner.release()

    def slow_down(self, seconds: float) -> None:
        self._inner.slow_down(seconds)
