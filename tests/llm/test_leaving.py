"""Questions that are given up come back as cancelled, with every attempt they made."""

import asyncio

import pytest

from rubricstudio.core.types import FailureCause
from rubricstudio.llm.client import RetryRule
from rubricstudio.llm.errors import GivenUp
from rubricstudio.llm.leaving import WayOut
from rubricstudio.llm.limits import InFlightLimit
from tests.llm.asking import CRITERION, PROMPT, RESPONSE, Served, model_at, run

SLOW_TO_RETRY = RetryRule(attempts=5, first_delay=30.0, longest_delay=60.0)


async def under_way(model, holds):
    """One question of the model, once `holds` is true."""
    asking = asyncio.create_task(model.judge(PROMPT, RESPONSE, criterion=CRITERION))
    while not holds():
        await asyncio.sleep(0.01)
    return asking


class OneSlotEver(InFlightLimit):
    """Lets the first attempt through and keeps every later one waiting."""

    def __init__(self):
        super().__init__(1)

    def release(self):
        """The slot goes to somebody else."""


def given_up(stub, act, *, holds, limiter=None, **changes):
    """What comes of a question on which `act` is called while it is under way."""

    async def work():
        async with model_at(Served.by(stub), limiter=limiter, **changes) as model:
            asking = await under_way(model, holds)
            await asyncio.sleep(0.1)  # past the end of the request that the stub has counted
            act(model.way_out)
            return await asyncio.wait_for(asking, 5)

    return run(work())


def a_request_more(stub):
    before = stub.state()["requests"]
    return lambda: stub.state()["requests"] > before


@pytest.mark.parametrize("act", [WayOut.give_up, lambda way_out: way_out.send_away(close=True)])
def test_a_question_that_waits_for_a_slot_keeps_its_earlier_attempt(stub, act):
    stub.configure(faults={"http_500": 1.0})

    asked = given_up(stub, act, holds=a_request_more(stub), limiter=OneSlotEver())

    assert asked.failure == FailureCause.CANCELLED
    assert [call.cause for call in asked.calls] == [FailureCause.SERVER_ERROR]


def test_a_question_that_waits_to_be_asked_again_keeps_its_earlier_attempt(stub):
    stub.configure(faults={"http_500": 1.0})

    asked = given_up(stub, WayOut.give_up, holds=a_request_more(stub), retry=SLOW_TO_RETRY)

    assert asked.failure == FailureCause.CANCELLED
    assert [call.cause for call in asked.calls] == [FailureCause.SERVER_ERROR]


def test_a_request_that_is_on_its_way_is_an_attempt_that_was_cut_short(stub):
    stub.configure(faults={"hang": 1.0})

    asked = given_up(stub, WayOut.give_up, holds=lambda: stub.state()["in_flight"])

    assert asked.failure == FailureCause.CANCELLED
    (call,) = asked.calls
    assert (call.cause, call.content) == (FailureCause.CANCELLED, None)
    assert stub.log()[-1].body_sha256 == call.request_sha256


def test_those_that_have_their_slot_are_left_to_finish_when_the_others_are_sent_away(stub):
    stub.configure(latency=0.3)

    asked = given_up(
        stub,
        lambda way_out: way_out.send_away(close=True),
        holds=lambda: stub.state()["in_flight"],
    )

    assert asked.value is not None


async def waits(way_out, limiter):
    """Wait for a slot as a question does; what came of it."""
    try:
        with way_out.around_question():
            await way_out.wait_for_slot(limiter)
    except GivenUp:
        return "given up"
    limiter.release()
    return "asked"


async def with_one_that_waits(way_out, *, close):
    """Another question has the only slot when the waiting one is sent away."""
    limiter = InFlightLimit(1)
    await limiter.acquire()
    waiting = asyncio.create_task(waits(way_out, limiter))
    await asyncio.sleep(0)
    way_out.send_away(close=close)
    ended = await waiting
    limiter.release()
    return ended, await waits(way_out, limiter), limiter.in_flight


@pytest.mark.parametrize(("close", "later"), [(False, "asked"), (True, "given up")])
def test_a_closed_door_lets_nobody_in_later_and_no_slot_is_lost(close, later):
    assert run(with_one_that_waits(WayOut(), close=close)) == ("given up", later, 0)


def test_a_cancellation_from_elsewhere_is_a_cancellation():
    async def cancelled(way_out):
        limiter = InFlightLimit(1)
        await limiter.acquire()
        waiting = asyncio.create_task(waits(way_out, limiter))
        await asyncio.sleep(0)
        waiting.cancel()
        way_out.give_up()
        await waiting

    with pytest.raises(asyncio.CancelledError):
        run(cancelled(WayOut()))
