import asyncio

import pytest

from rubricstudio.llm.limits import InFlightLimit
from tests.llm.asking import run


async def use(limit, seconds=0.001, seen=None):
    await limit.acquire()
    if seen is not None:
        seen.append(limit.in_flight)
    await asyncio.sleep(seconds)
    limit.release()


def test_no_more_than_the_limit_are_in_flight():
    limit = InFlightLimit(3)
    seen: list[int] = []

    async def many():
        await asyncio.gather(*(use(limit, seen=seen) for _ in range(50)))

    run(many())

    assert max(seen) == 3
    assert limit.in_flight == 0


def test_overload_halves_the_limit_once_for_many_complaints():
    limit = InFlightLimit(64)

    for _ in range(30):
        limit.slow_down(5)

    assert limit.limit == 32


def test_the_limit_never_falls_below_one():
    limit = InFlightLimit(1)

    limit.slow_down(0)

    assert limit.limit == 1


def test_the_limit_grows_back_by_use(monkeypatch):
    limit, now = InFlightLimit(4), [0.0]
    monkeypatch.setattr("rubricstudio.llm.limits.time.monotonic", lambda: now[0])
    limit.slow_down(1)
    now[0] = 10.0

    async def many():
        for _ in range(20):
            await use(limit, 0)

    run(many())

    assert limit.limit == 4


def test_a_cancelled_waiter_does_not_take_the_slot_with_it():
    limit = InFlightLimit(1)

    async def work():
        await limit.acquire()
        first, second = (asyncio.create_task(use(limit)) for _ in range(2))
        await asyncio.sleep(0)
        limit.release()
        first.cancel()
        await asyncio.wait_for(second, 1)

    run(work())

    assert limit.in_flight == 0


def test_a_limit_is_at_least_one():
    with pytest.raises(ValueError, match="at least 1"):
        InFlightLimit(0)
