"""Many questions at once: order, streaming, stopping, and what the server saw of it."""

import asyncio
import collections

import pytest

from rubricstudio.core.types import (
    Criterion,
    FailureCause,
    Message,
    Role,
    Scope,
    UnscoredReason,
    VerdictState,
)
from rubricstudio.llm.client import Backend, JudgeItem, OutputMode, RetryRule
from rubricstudio.llm.limits import InFlightLimit
from rubricstudio.llm.openai_client import PATIENCE
from rubricstudio.testing.stub.truth import planted_score, planted_verdict
from tests.llm.asking import CRITERION, PROMPT, Served, model_at, run
from tests.llm.servers import free_port

ANSWERS = ("yes", "part", "no")
PATIENT = RetryRule(attempts=50, first_delay=0.01, longest_delay=0.1)


def response(number):
    return [Message(Role.ASSISTANT, f"The sea is wide, says answer {number}.")]


def items(count):
    return [JudgeItem(number, PROMPT, response(number), CRITERION) for number in range(count)]


class Answers:
    """Keeps what was handed over, and may act on it."""

    def __init__(self, then=lambda count: None):
        self.by_key = {}
        self.handed = 0
        self.then = then

    async def __call__(self, item, asked):
        self.by_key[item.key] = asked
        self.handed += 1
        self.then(self.handed)


def judge(stub, asked_items, answers, *, limiter=None, concurrency=16, model=None, **options):
    async def work():
        async with model_at(Served.by(stub), limiter=limiter, **(model or {})) as judge:
            return await judge.judge_many(asked_items, answers, concurrency=concurrency, **options)

    return run(work())


def test_every_item_is_answered_once_by_the_planted_truth(stub):
    answers = Answers()

    ended = judge(stub, items(100), answers)

    assert ended.answered == answers.handed == 100
    assert {key: asked.value.answer for key, asked in answers.by_key.items()} == {
        number: planted_verdict(response(number)[0].content, CRITERION.text, ANSWERS)
        for number in range(100)
    }


def test_an_item_without_a_criterion_asks_for_the_global_score(stub):
    answers = Answers()

    judge(stub, [JudgeItem("g", PROMPT, response(1), None)], answers)

    assert answers.by_key["g"].value.score == planted_score(response(1)[0].content)


def test_the_server_received_each_request_of_the_records_and_no_other(stub):
    before = len(stub.log())
    stub.configure(faults={"http_500": 0.1, "http_503": 0.1, "nonsense": 0.1})
    answers = Answers()

    judge(stub, items(100), answers)

    calls = [call for asked in answers.by_key.values() for call in asked.calls]
    seen = [one.body_sha256 for one in stub.log()[before:]]
    assert collections.Counter(call.request_sha256 for call in calls) == collections.Counter(seen)


def test_the_limit_is_used_and_kept_at_the_socket(stub):
    stub.configure(latency=0.05)
    before = len(stub.log())

    judge(stub, items(120), Answers(), limiter=InFlightLimit(20), concurrency=60)

    peak = max(one.in_flight for one in stub.log()[before:])
    assert 18 <= peak <= 20


def test_two_models_share_one_limit(stub):
    stub.configure(latency=0.02)
    before = len(stub.log())
    limiter = InFlightLimit(8)

    async def both():
        async with (
            model_at(Served.by(stub), limiter=limiter) as one,
            model_at(Served.by(stub), limiter=limiter) as other,
        ):
            await asyncio.gather(
                one.judge_many(items(40), Answers(), concurrency=16),
                other.judge_many(items(40), Answers(), concurrency=16),
            )

    run(both())

    assert max(one.in_flight for one in stub.log()[before:]) <= 8


def test_answers_are_handed_over_while_others_are_still_asked(stub):
    stub.configure(latency=0.05)
    handed_at: list[int] = []
    answers = Answers(then=lambda count: handed_at.append(stub.state()["requests"]))
    before = stub.state()["requests"]

    judge(stub, items(30), answers, concurrency=5)

    assert handed_at[0] - before < 30


def test_stop_takes_no_new_item_and_finishes_those_in_flight(stub):
    answers = Answers()

    ended = judge(stub, items(500), answers, concurrency=4, stop=lambda: answers.handed >= 10)

    assert ended.stopped
    assert 10 <= ended.answered == answers.handed <= 13


def test_stop_gives_up_what_waits_to_be_asked_again(stub):
    stub.configure(faults={"http_429": 1.0}, retry_after=20)
    asked_for = []

    def stop():
        asked_for.append(1)
        return len(asked_for) > 10

    answers = Answers()
    judge(stub, items(2), answers, concurrency=2, stop=stop)

    assert {asked.failure for asked in answers.by_key.values()} == {FailureCause.CANCELLED}


def test_the_deadline_takes_no_new_item(stub):
    stub.configure(latency=0.05)

    ended = judge(stub, items(10_000), Answers(), concurrency=4, seconds=0.3)

    assert ended.stopped
    assert 0 < ended.answered < 10_000


def test_an_unusable_endpoint_ends_the_pass_with_its_sentence(stub):
    stub.configure(api_key="right")

    ended = judge(stub, items(500), Answers(), concurrency=4)

    assert ended.cause == FailureCause.AUTH
    assert "answered 401" in ended.detail
    assert ended.answered <= 4


def test_a_server_that_answers_nobody_ends_the_pass(stub):
    stub.configure(faults={"http_500": 1.0})

    ended = judge(stub, items(500), Answers(), concurrency=8)

    assert ended.cause == FailureCause.SERVER_ERROR
    assert ended.answered <= PATIENCE + 8


def test_a_server_that_is_down_ends_the_pass_with_the_first_question_that_gives_up():
    nobody = Served(f"http://127.0.0.1:{free_port()}/v1", Backend.VLLM, "judge")
    answers = Answers()

    async def work():
        async with model_at(nobody) as judge:
            return await judge.judge_many(items(500), answers, concurrency=8)

    ended = run(work())

    assert ended.cause == FailureCause.UNREACHABLE
    assert "nothing listens at" in ended.detail
    assert ended.answered <= 8
    assert {asked.value for asked in answers.by_key.values()} == {None}


def test_prompts_that_are_too_long_do_not_end_the_pass(stub):
    stub.configure(max_model_len=50)

    ended = judge(stub, items(PATIENCE + 20), Answers())

    assert (ended.answered, ended.cause) == (PATIENCE + 20, None)


def test_an_overloaded_server_is_asked_less_and_loses_nothing(stub):
    stub.configure(latency=0.02, max_running=4, max_queued=4)
    limiter = InFlightLimit(64)
    answers = Answers()

    judge(stub, items(150), answers, limiter=limiter, concurrency=64, model={"retry": PATIENT})

    assert {asked.state for asked in answers.by_key.values()} == {VerdictState.SCORED}
    assert stub.state()["rejected"] > 0
    assert limiter.limit < 64


def test_an_error_of_the_callback_ends_the_pass(stub):
    async def broken(item, asked):
        raise RuntimeError("the database is gone")

    with pytest.raises(ExceptionGroup) as caught:
        judge(stub, items(20), broken)

    assert caught.group_contains(RuntimeError, match="the database is gone")


def test_samples_of_one_cell_differ_by_their_seed(stub):
    stub.configure(noise=1.0)
    answers = Answers()
    samples = [JudgeItem(k, PROMPT, response(1), CRITERION, sample=k) for k in range(12)]

    judge(stub, samples, answers, model={"output": OutputMode.LABEL})

    assert len({asked.value.answer for asked in answers.by_key.values()}) > 1


def test_a_criterion_about_a_turn_that_is_not_there_is_not_asked(stub):
    criterion = Criterion("c9", "It greets.", scope=Scope.parse("turn:3"))
    answers = Answers()
    before = stub.state()["requests"]

    judge(stub, [JudgeItem("x", PROMPT, response(1), criterion)], answers)

    assert answers.by_key["x"].unscored == UnscoredReason.MISSING
    assert stub.state()["requests"] == before


def test_one_model_serves_several_event_loops_one_after_another(stub):
    model = model_at(Served.by(stub))

    async def once():
        async with model:
            return await model.judge(PROMPT, response(1), criterion=CRITERION)

    assert [run(once()).state for _ in range(2)] == [VerdictState.SCORED] * 2
