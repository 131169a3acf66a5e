"""An event loop in a thread of its own, where models are asked while this thread stores."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine, Sequence
from concurrent.futures import Future
from contextlib import AbstractAsyncContextManager
from types import TracebackType
from typing import Any, TypeVar

from apps.specs.services.writers import Answers, Wanted, Writers
from rubricstudio.core.types import Message

T = TypeVar("T")


class AskingLoop:
    """Asks the writers about prompts; a context manager around the writers' own."""

    def __init__(self, opened: AbstractAsyncContextManager[Writers]) -> None:
        self._opened = opened
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="specs", daemon=True)

    def submit(self, prompt: Sequence[Message], wanted: Wanted) -> Future[Answers]:
        return self._run(self._writers.ask(prompt, wanted))

    def give_up(self) -> None:
        """Each question under way comes back soon, as cancelled, with the calls it made."""
        self._loop.call_soon_threadsafe(self._writers.way_out.give_up)

    def __enter__(self) -> AskingLoop:
        self._thread.start()
        try:
            self._writers = self._run(self._opened.__aenter__()).result()
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """What is still being asked after an error is cancelled."""
        try:
            self._run(self._cancelled()).result()
            self._run(self._closed(kind, error, trace)).result()
        finally:
            self._end()

    async def _cancelled(self) -> None:
        asking = asyncio.all_tasks() - {asyncio.current_task()}
        for task in asking:
            task.cancel()
        await asyncio.gather(*asking, return_exceptions=True)

    async def _closed(self, *error: Any) -> None:
        await self._opened.__aexit__(*error)

    def _run(self, coroutine: Coroutine[Any, Any, T]) -> Future[T]:
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop)

    def _end(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
