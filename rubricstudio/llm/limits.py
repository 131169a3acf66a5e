"""How many requests may be in flight, within one process."""

import asyncio
import time
from collections import deque
from typing import Final

FIRST_RECOVERY: Final = 1.0


class InFlightLimit:
    """At most ``most`` at once; half of it when the server is overloaded, growing back by use.

    Each time as many requests have ended as the present limit allows, the limit rises by one
    (additive increase, multiplicative decrease), and never above ``most``. It may be shared by
    several event loops of one thread, one after another, since nothing in it belongs to a loop.
    """

    def __init__(self, most: int) -> None:
        if most < 1:
            raise ValueError(f"the limit of requests in flight is at least 1, got {most}")
        self.most = most
        self.limit = most
        self.in_flight = 0
        self._quiet_until = 0.0
        self._ended = 0
        self._waiting: deque[asyncio.Future[None]] = deque()

    async def acquire(self) -> None:
        while self.in_flight >= self.limit:
            turn = asyncio.get_running_loop().create_future()
            self._waiting.append(turn)
            try:
                await turn
            except asyncio.CancelledError:
                self._pass_on(turn)
                raise
        self.in_flight += 1

    def release(self) -> None:
        self.in_flight -= 1
        self._ended += 1
        if self._ended >= self.limit and time.monotonic() >= self._quiet_until:
            self._ended = 0
            self.limit = min(self.most, self.limit + 1)
        self._wake()

    def slow_down(self, seconds: float) -> None:
        """Halve the limit, at most once per ``seconds``: one overload makes many complaints."""
        now = time.monotonic()
        if now >= self._quiet_until:
            self.limit = max(1, self.limit // 2)
            self._ended = 0
            self._quiet_until = now + max(seconds, FIRST_RECOVERY)

    def _wake(self) -> None:
        free = self.limit - self.in_flight
        while self._waiting and free > 0:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                free -= 1

    def _pass_on(self, turn: "asyncio.Future[None]") -> None:
        """A waiter that was woken and cancelled at once hands its turn to the next."""
        if turn.done() and not turn.cancelled():
            self._wake()
        elif turn in self._waiting:
            self._waiting.remove(turn)
