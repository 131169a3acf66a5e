"""A question begins when it gets its first slot."""

import asyncio

from apps.judging.services.slots import ASKING, Asking, Slots
from rubricstudio.llm.client import JudgeItem
from rubricstudio.llm.limits import InFlightLimit


def test_a_question_begins_once_however_often_it_is_asked():
    begun = []
    slots = Slots(InFlightLimit(1), on_begin=lambda item: begun.append(item.key))

    async def ask():
        ASKING.set(Asking(JudgeItem("asked thrice", (), (), None)))
        for _ in range(3):
            await slots.acquire()
            slots.release()

    asyncio.run(ask())

    assert begun == ["asked thrice"]


def test_a_question_that_waits_for_a_slot_has_not_begun():
    begun = []
    slots = Slots(InFlightLimit(1), on_begin=lambda item: begun.append(item.key))

    async def wait():
        ASKING.set(Asking(JudgeItem("waits", (), (), None)))
        await slots.acquire()

    async def beside_another():
        await slots._inner.acquire()
        waiting = asyncio.create_task(wait())
        await asyncio.sleep(0)
        before = list(begun)
        slots.release()
        await waiting
        return before

    assert asyncio.run(beside_another()) == []
    assert begun == ["waits"]
