"""The price of asking: our client against bare aiohttp, both against the stub at 50 ms.

One JSON line per figure: calls per second and CPU seconds of this process per 1,000 calls, and
their ratio to the floor measured in the same run. The stub runs in a process of its own.
"""

import asyncio
import json
import resource
import sys
import tempfile
import time
from collections.abc import Coroutine, Iterable
from pathlib import Path
from typing import Any, Final, NamedTuple

import aiohttp

from rubricstudio.core.types import Criterion, Message, Role
from rubricstudio.llm import questions
from rubricstudio.llm.client import (
    Answered,
    Backend,
    Endpoint,
    JudgeItem,
    ModelSettings,
    OutputMode,
    Thinking,
)
from rubricstudio.llm.limits import InFlightLimit
from rubricstudio.llm.openai_client import OpenAIModel
from rubricstudio.llm.render import shipped_templates
from rubricstudio.llm.requests import build_request
from rubricstudio.testing.stub.process import RunningStub, stub_server

CALLS: Final = 1600
LATENCY: Final = 0.05
CRITERIA: Final = 8
WORDS: Final = 200
JSON_HEADERS: Final = {"Content-Type": "application/json"}


class Price(NamedTuple):
    """What a number of calls took: seconds on the clock, seconds of this process's CPU."""

    wall: float
    cpu: float


def items(count: int) -> Iterable[JudgeItem]:
    """Cells in the order of a run: the criteria of one response next to each other."""
    prompt = [Message(Role.USER, "Explain the tides to a child. " * 10)]
    criteria = [Criterion(f"c{n}", f"It explains part {n} of it.", 1) for n in range(CRITERIA)]
    for number in range(count):
        text = f"Answer {number // CRITERIA}: " + "the sea rises and falls " * (WORDS // 5)
        response = [Message(Role.ASSISTANT, text)]
        yield JudgeItem(number, prompt, response, criteria[number % CRITERIA])


def settings_for(stub: RunningStub, output: OutputMode) -> ModelSettings:
    endpoint = Endpoint(stub.base_url, Backend.VLLM)
    return ModelSettings(endpoint, "judge", thinking=Thinking.NEVER, output=output)


async def ask_by_client(stub: RunningStub, in_flight: int, output: OutputMode) -> None:
    async def count(item: JudgeItem, answer: Answered) -> None:
        assert answer.value is not None, answer.detail

    limiter = InFlightLimit(in_flight)
    async with OpenAIModel(settings_for(stub, output), limiter=limiter) as model:
        await model.judge_many(items(CALLS), count, concurrency=in_flight)


async def ask_bare(stub: RunningStub, in_flight: int, output: OutputMode) -> None:
    """The floor: the same requests, made beforehand, sent and read and nothing else."""
    bodies = [_content(item, settings_for(stub, output)) for item in items(CALLS)]
    waiting = iter(bodies)

    async def work(session: aiohttp.ClientSession) -> None:
        for body in waiting:
            url = f"{stub.base_url}/chat/completions"
            async with session.post(url, data=body, headers=JSON_HEADERS) as answer:
                await answer.json()

    connector = aiohttp.TCPConnector(limit=in_flight)
    async with aiohttp.ClientSession(connector=connector) as session:
        await asyncio.gather(*(work(session) for _ in range(in_flight)))


def _content(item: JudgeItem, settings: ModelSettings) -> bytes:
    assert item.criterion is not None
    question = questions.ask_verdict(
        shipped_templates(),
        item.prompt,
        item.response,
        criterion=item.criterion,
        output=settings.output,
        nonce="0a1b2c3d4e5f",
    )
    assert question is not None
    return build_request(settings, question).content


def price_of(work: Coroutine[Any, Any, None]) -> Price:
    start, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_SELF)
    asyncio.run(work)
    after = resource.getrusage(resource.RUSAGE_SELF)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Price(time.perf_counter() - start, cpu)


def main() -> None:
    with (
        tempfile.TemporaryDirectory() as folder,
        stub_server(Path(folder) / "requests.jsonl", latency=LATENCY) as stub,
    ):
        for in_flight in (64, 256):
            for output in OutputMode:
                floor = price_of(ask_bare(stub, in_flight, output))
                ours = price_of(ask_by_client(stub, in_flight, output))
                print(json.dumps(_line(in_flight, output, floor, ours)))
                sys.stdout.flush()


def _line(in_flight: int, output: OutputMode, floor: Price, ours: Price) -> dict[str, object]:
    return {
        "benchmark": "judge_client",
        "output": output.value,
        "in_flight": in_flight,
        "calls": CALLS,
        "calls_per_second": round(CALLS / ours.wall),
        "cpu_s_per_1000": round(ours.cpu / CALLS * 1000, 3),
        "floor_calls_per_second": round(CALLS / floor.wall),
        "floor_cpu_s_per_1000": round(floor.cpu / CALLS * 1000, 3),
        "cpu_ratio_to_floor": round(ours.cpu / floor.cpu, 2),
    }


if __name__ == "__main__":
    main()
