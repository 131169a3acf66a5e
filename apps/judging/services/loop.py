"""One event loop per process, in a thread of its own, for as long as the process lives.

Calls to a model wait in the loop by the hundred while the task's thread talks to the database. It
starts at first use, so after the fork of a worker, never before.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class _Running:
    loop: asyncio.AbstractEventLoop
    pid: int


_lock = threading.Lock()
_running: _Running | None = None


def submit(coroutine: Coroutine[Any, Any, T]) -> Future[T]:
    """Run a coroutine in the loop of this process; its result comes through the future."""
    return asyncio.run_coroutine_threadsafe(coroutine, the_loop())


def the_loop() -> asyncio.AbstractEventLoop:
    """The loop of this process; a forked child does not share that of its parent."""
    global _running
    with _lock:
        if _running is None or _running.pid != os.getpid():
            loop = asyncio.new_event_loop()
            threading.Thread(target=loop.run_forever, name="judging", daemon=True).start()
            _running = _Running(loop, os.getpid())
        return _running.loop
