"""A question -> the body and the bytes of one request."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, TypeVar

from rubricstudio.core.canonical import sha256_hex
from rubricstudio.llm.client import Backend, Drawing, Endpoint, ModelSettings, Sampling
from rubricstudio.llm.questions import Question
from rubricstudio.llm.render import compact_json, request_bytes
from rubricstudio.llm.shapes import Shape

T = TypeVar("T")

SEED_STRIDE: Final = 1_000_000
"""Seeds of repeated attempts lie this far apart, so that they never meet those of samples."""


@dataclass(frozen=True, slots=True)
class Request:
    """What is sent: ``body`` is the JSON text without messages, ``content`` all of it."""

    body: str
    content: bytes

    @property
    def sha256(self) -> str:
        return sha256_hex(self.content)


def build_request(
    settings: ModelSettings, question: Question[T], *, reparse: int = 0, growth: int = 1
) -> Request:
    """The request for a question.

    ``reparse`` counts the unusable answers before it: a seed that gave one would give it again.
    ``growth`` multiplies the room for the answer after one that was cut.
    """
    switch = settings.thinking.switch(question.weight)
    seed = _seed(settings.sampling, sample=question.sample, reparse=reparse)
    body = _body(settings, question.shape, switch, seed, growth)
    content = request_bytes(
        question.template, slots=question.slots, nonce=question.nonce, body=body
    )
    return Request(body, content)


def _seed(sampling: Sampling, *, sample: int, reparse: int) -> int | None:
    return None if sampling.seed is None else sampling.seed + sample + reparse * SEED_STRIDE


@lru_cache(maxsize=256)
def _body(
    settings: ModelSettings, shape: Shape, switch: bool | None, seed: int | None, growth: int
) -> str:
    """The JSON text without messages. A run has a handful of them, and making one is not cheap."""
    backend, sampling = settings.endpoint.backend, settings.sampling
    drawing = sampling.drawing(switch)
    room = (shape.room or sampling.max_tokens) * growth
    if switch is not False:
        room += sampling.thinking_tokens * growth
    fields = {
        "model": settings.model,
        "temperature": drawing.temperature,
        "top_p": drawing.top_p,
        "presence_penalty": drawing.presence_penalty,
        "seed": seed,
        # The newer models of the plain API refuse the older name.
        "max_completion_tokens" if backend is Backend.OPENAI else "max_tokens": room,
        **_local_fields(settings, drawing, switch),
        **shape.fields(backend),
    }
    return compact_json({name: value for name, value in fields.items() if value is not None})


def _local_fields(settings: ModelSettings, drawing: Drawing, switch: bool | None) -> dict[str, Any]:
    """Fields that only self-hosted servers know; the plain API answers 400 to them."""
    if settings.endpoint.backend is Backend.OPENAI:
        return {}
    thinking = None if switch is None else {"enable_thinking": switch}
    sorted_by = settings.priority.value if _sorts(settings.endpoint) else None
    return {
        "top_k": drawing.top_k,
        "chat_template_kwargs": thinking,
        "priority": sorted_by,
    }


def _sorts(endpoint: Endpoint) -> bool:
    """Whether the server knows priorities: a vLLM that does not sort by them may refuse one."""
    return endpoint.backend is Backend.VLLM and endpoint.sorts_by_priority
