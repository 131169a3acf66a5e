"""The JSON of a chat completion -> what it says and what it cost."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rubricstudio.core.parsing import Reply
from rubricstudio.core.types import FailureCause
from rubricstudio.llm.errors import EndpointBusy


@dataclass(frozen=True, slots=True)
class Completion:
    """The first choice of an answer and its accounting; counts not told are ``None``."""

    reply: Reply
    status: int
    served_model: str
    prompt_tokens: int | None
    completion_tokens: int | None
    cached_tokens: int | None
    reasoning_tokens: int | None


def read_completion(data: Any, *, status: int, answers: Sequence[str] = ()) -> Completion:
    """Read a completion; raises :class:`EndpointBusy` where it is none.

    ``answers`` are the words whose probabilities are wanted.
    """
    try:
        choice = data["choices"][0]
        message = choice["message"]
        content, reasoning = message.get("content"), _reasoning(message)
    except (TypeError, KeyError, IndexError, AttributeError):
        raise EndpointBusy(
            f"the server answered {status} without a chat completion: {data!s:.120}",
            cause=FailureCause.BAD_RESPONSE,
            status=status,
        ) from None
    reply = Reply(
        content=_joined(content),
        reasoning=reasoning,
        finish_reason=choice.get("finish_reason"),
        refusal=message.get("refusal"),
        probabilities=_probabilities(choice.get("logprobs"), _joined(content), answers),
    )
    usage = _mapping(data.get("usage"))
    return Completion(
        reply=reply,
        status=status,
        served_model=str(data.get("model") or ""),
        prompt_tokens=_count(usage, "prompt_tokens"),
        completion_tokens=_count(usage, "completion_tokens"),
        cached_tokens=_count(_mapping(usage.get("prompt_tokens_details")), "cached_tokens"),
        reasoning_tokens=_count(
            _mapping(usage.get("completion_tokens_details")), "reasoning_tokens"
        ),
    )


def _reasoning(message: Mapping[str, Any]) -> str | None:
    # vLLM writes `reasoning`, older servers and llama.cpp `reasoning_content`.
    said = message.get("reasoning") or message.get("reasoning_content")
    return str(said) if said else None


def _joined(content: Any) -> str | None:
    """The text of a message, whose content may also be a list of parts."""
    if content is None or isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else [content]
    return "".join(str(_mapping(part).get("text", "")) for part in parts)


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _count(usage: Mapping[str, Any], name: str) -> int | None:
    value = usage.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _probabilities(
    logprobs: Any, content: str | None, answers: Sequence[str]
) -> tuple[tuple[str, float], ...] | None:
    """P(answer) for each allowed answer, renormalised over them; ``None`` where it cannot be told.

    A word may be split into tokens in several ways, so the mass of every first token that only
    one of the answers starts with goes to that answer. Where one of the answers has no mass at
    all, the server listed what it would have said unheld, and nothing can be told from that.
    """
    tokens = _mapping(logprobs).get("content")
    if not answers or not content or not isinstance(tokens, list):
        return None
    masses = dict.fromkeys(answers, 0.0)
    for alternative in _alternatives(tokens, content):
        begun = str(alternative.get("token", "")).strip()
        meant = [answer for answer in answers if begun and answer.startswith(begun)]
        if len(meant) > 1:
            return None
        if meant:
            masses[meant[0]] += math.exp(min(0.0, float(alternative.get("logprob", -math.inf))))
    if min(masses.values()) <= 0:
        return None
    total = sum(masses.values())
    return tuple((answer, mass / total) for answer, mass in masses.items())


def _alternatives(tokens: list[Any], content: str) -> list[Mapping[str, Any]]:
    """The alternatives at the token with which the answer begins, thinking before it skipped."""
    text = ""
    for token in reversed(tokens):
        text = str(_mapping(token).get("token", "")) + text
        if text.lstrip().startswith(content.strip()):
            found = _mapping(token).get("top_logprobs")
            return [_mapping(one) for one in found] if isinstance(found, list) else []
    return []
