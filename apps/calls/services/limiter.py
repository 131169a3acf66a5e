"""The limit that a worker's event loop asks before each call: leased slots, and the server's mood.

A thread of its own renews the lease, so that a busy event loop does not lose it. The thread reads
how many calls the loop may have in flight, and the loop learns of a grant by a callback; whichever
comes first, the row in the database never counts less than what the loop may do.

It renews early when its share is another one by now, while it waits for a first slot, and while
calls that began under a larger share end: so a worker that comes later has its part soon.
"""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import threading
import time
import uuid
from types import TracebackType

from django.db import DatabaseError, connection

from apps.calls.models import ModelEndpoint
from apps.calls.services.leases import (
    LEASE_SECONDS,
    lease_slots,
    release_slots,
    share_changed,
)
from rubricstudio.llm.limits import InFlightLimit

logger = logging.getLogger(__name__)

RENEWALS_PER_LEASE = 3
LOOK_EVERY = 0.25


class _Gate(InFlightLimit):
    """A limit that is set from outside, and may be none at all."""

    def __init__(self) -> None:
        super().__init__(1)
        self.most = self.limit = 0

    def allow(self, most: int) -> None:
        self.most = self.limit = most
        self._wake()


class LeasedLimit:
    """A `Limiter` (rubricstudio.llm.client) whose slots come from an endpoint's leases.

    Use it as an async context manager around all calls of one event loop. `want` is how many
    calls the loop could have in flight.
    """

    def __init__(
        self, endpoint: ModelEndpoint, *, want: int, seconds: float = LEASE_SECONDS
    ) -> None:
        self.endpoint_id = endpoint.pk
        self.holder = f"{socket.gethostname()}:{os.getpid()}:{uuid.uuid4().hex[:12]}"
        self.want = min(want, endpoint.max_in_flight)
        self.seconds = seconds
        self._mood = InFlightLimit(self.want)
        self._gate = _Gate()
        self._granted = 0
        self._counted = 0  # by the row: calls that began under a larger share count until they end
        self._ended = threading.Event()
        self._lapses_at = 0.0

    async def acquire(self) -> None:
        await self._mood.acquire()
        try:
            self._close_when_lapsed()
            await self._gate.acquire()
        except BaseException:
            self._mood.release()
            raise

    def release(self) -> None:
        self._close_when_lapsed()
        self._gate.release()
        self._mood.release()

    def slow_down(self, seconds: float) -> None:
        self._mood.slow_down(seconds)

    async def __aenter__(self) -> LeasedLimit:
        self._loop = asyncio.get_running_loop()
        self._thread = threading.Thread(target=self._keep_lease, name="lease", daemon=True)
        self._thread.start()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._ended.set()
        await asyncio.to_thread(self._thread.join)

    def _close_when_lapsed(self) -> None:
        if time.monotonic() >= self._lapses_at:
            self._gate.allow(0)

    def _keep_lease(self) -> None:
        try:
            while not self._ended.is_set():
                self._renew()
                self._wait_until_due()
            release_slots(self.endpoint_id, holder=self.holder)
        except DatabaseError:
            logger.exception("the lease of %s lapses by itself", self.holder)
        finally:
            connection.close()

    def _wait_until_due(self) -> None:
        due = time.monotonic() + self.seconds / RENEWALS_PER_LEASE
        while (left := due - time.monotonic()) > 0:
            if self._ended.wait(min(left, LOOK_EVERY)) or self._is_due_early():
                return

    def _is_due_early(self) -> bool:
        if not self._granted or self._counted > self._granted:
            return True
        try:
            return share_changed(
                self.endpoint_id,
                holder=self.holder,
                want=self.want,
                seconds=self.seconds,
                granted=self._granted,
            )
        except DatabaseError:
            return True  # which says so, with a connection of its own

    def _renew(self) -> None:
        asked_at = time.monotonic()
        try:
            # What the loop may do by now: the grant it has, one still on its way, or calls that
            # began under a larger one.
            holding = max(self._gate.in_flight, self._gate.most, self._granted)
            self._granted = lease_slots(
                self.endpoint_id,
                holder=self.holder,
                want=self.want,
                seconds=self.seconds,
                holding=holding,
            )
            self._counted = max(self._granted, holding)
        except DatabaseError:
            logger.warning("the lease of %s could not be renewed", self.holder, exc_info=True)
            connection.close()
            return
        self._loop.call_soon_threadsafe(self._take, self._granted, asked_at + self.seconds)

    def _take(self, granted: int, lapses_at: float) -> None:
        self._lapses_at = lapses_at
        self._gate.allow(granted)
