"""Questions that wait for a slot can be given up; those that have one are left to finish."""

import asyncio

import pytest

from apps.judging.services.slots import ASKING, Asking, NoSlot, Slots
from rubricstudio.llm.client import JudgeItem
from rubricstudio.llm.limits import InFlightLimit


@pytest.fixture
def begun():
    return []


@pytest.fixture
def slots(begun):
    return Slots(InFlightLimit(1), on_begin=lambda item: begun.append(item.key))


async def ask(slots, key, *, attempts=1):
    """Take and give back a slot for each attempt; the name of what came of it."""
    ASKING.set(Asking(JudgeItem(key, (), (), None)))
    try:
        for _ in range(attempts):
            await slots.acquire()
            await asyncio.sleep(0)
            slots.release()
    except NoSlot:
        return "given up"
    return "asked"


async def with_one_that_waits(slots, *, close):
    """The first question has the only slot when the second is sent away."""
    await slots._inner.acquire()
    waiting = asyncio.create_task(ask(slots, "waits"))
    await asyncio.sleep(0)
    slots.send_away(close=close)
    ended = await waiting
    slots.release()
    return ended, await ask(slots, "later")


def test_a_waiting_question_is_given_up_and_its_task_lives_on(slots, begun):
    assert asyncio.run(with_one_that_waits(slots, close=False)) == ("given up", "asked")
    assert begun == ["later"]


def test_a_closed_door_lets_nobody_in_later(slots):
    assert asyncio.run(with_one_that_waits(slots, close=True)) == ("given up", "given up")


def test_a_question_begins_once_however_often_it_is_asked(slots, begun):
    asyncio.run(ask(slots, "asked thrice", attempts=3))

    assert begun == ["asked thrice"]


def test_a_cancellation_from_elsewhere_is_a_cancellation(slots):
    async def cancelled():
        await slots._inner.acquire()
        waiting = asyncio.create_task(ask(slots, "waits"))
        await asyncio.sleep(0)
        waiting.cancel()
        await waiting

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(cancelled())


def test_the_slot_of_a_question_that_is_given_up_is_free_for_others(slots):
    async def both():
        ended = await with_one_that_waits(slots, close=False)
        return ended, slots._inner.in_flight

    assert asyncio.run(both()) == (("given up", "asked"), 0)
