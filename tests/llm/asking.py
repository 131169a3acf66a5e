"""What the tests of `llm` ask, and small helpers to ask it."""

import asyncio
import json
from collections.abc import Coroutine
from typing import Any, NamedTuple, TypeVar

from rubricstudio.core.types import Criterion, Message, Role
from rubricstudio.llm.client import (
    Backend,
    Endpoint,
    ModelSettings,
    OutputMode,
    RetryRule,
    Sampling,
    Thinking,
)
from rubricstudio.llm.limits import InFlightLimit
from rubricstudio.llm.openai_client import OpenAIModel
from rubricstudio.llm.transport import CHAT
from rubricstudio.testing.stub.process import RunningStub

T = TypeVar("T")

PROMPT = [Message(Role.USER, "Write at least 300 words about the sea, for a child.")]
RESPONSE = [Message(Role.ASSISTANT, "The sea is wide and salt. It moves all day.")]
CRITERION = Criterion("c1", "The response names a colour of the sea.", 2)
QUICK = RetryRule(attempts=3, reparses=1, first_delay=0.01, longest_delay=0.05, deadline=120)


class Served(NamedTuple):
    """A server under test: where it is, its kind, and the model it serves."""

    base_url: str
    backend: Backend
    model: str

    @classmethod
    def by(cls, stub: RunningStub, backend: Backend = Backend.VLLM) -> "Served":
        return cls(stub.base_url, backend, "judge")


def model_at(served: Served, *, limiter: Any = None, most_criteria: int = 2, **changes: Any):
    """A model at a server; the settings may be changed by name."""
    endpoint = changes.pop("endpoint", Endpoint(served.base_url, served.backend, timeout=120))
    settings = {
        "model": served.model,
        "sampling": Sampling(temperature=0.0, max_tokens=400, thinking_tokens=64, seed=1),
        "thinking": Thinking.NEVER,
        "output": OutputMode.EXPLAINED,
        "retry": QUICK,
        **changes,
    }
    return OpenAIModel(
        ModelSettings(endpoint=endpoint, **settings),
        limiter=limiter or InFlightLimit(64),
        most_criteria=most_criteria,
    )


def run(work: Coroutine[Any, Any, T]) -> T:
    return asyncio.run(work)


async def judged(model: OpenAIModel, criterion: Criterion = CRITERION, **options: Any):
    async with model:
        return await model.judge(PROMPT, RESPONSE, criterion=criterion, **options)


async def posted(served: Served, fields: dict[str, Any], path: str = CHAT):
    """The answer to a request written by hand, past our own building of requests."""
    body = {
        "model": served.model,
        "messages": [{"role": "user", "content": "How are you today? " * 20}],
        "max_tokens": 24,
        **fields,
    }
    async with model_at(served) as model:
        return (await model.transport.post(path, json.dumps(body).encode())).data
