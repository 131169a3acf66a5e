"""A chat request -> the JSON of its completion, in the words of the backend played."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from rubricstudio.llm.client import Backend
from rubricstudio.testing.stub import truth
from rubricstudio.testing.stub.behaviour import Behaviour, Fault
from rubricstudio.testing.stub.conforming import Conforming
from rubricstudio.testing.stub.constraints import FREE, Constraint, constraint_of

Json = dict[str, Any]

LETTERS_PER_TOKEN: Final = 4
BLOCK: Final = 32
"""Tokens per block of the prefix cache."""
MOST_PREFIXES: Final = 100_000
PLANTED_SHARE: Final = 0.8
"""P(answer) of the planted answer; the other answers share the rest."""
MASKED: Final = -9999.0
THOUGHT: Final = "Let me see what is asked here. "
PROSE: Final = "I am well, thank you. There is much to be said about this, and I will begin. "
NONSENSE: Final = "{\r\r\r\r verdict: certainly maybe ]]"


@dataclass(frozen=True, slots=True)
class Said:
    """One choice before it is written as JSON."""

    content: str | None
    reasoning: str | None = None
    finish: str = "stop"
    refusal: str | None = None
    tokens: int = 0
    reasoning_tokens: int = 0


def tokens_in(text: str) -> int:
    """The length of a text in this server's tokens."""
    return -(-len(text) // LETTERS_PER_TOKEN)


class Completions:
    """Makes completions, and remembers the prefixes of prompts as vLLM's cache does."""

    def __init__(self) -> None:
        self._prefixes: set[int] = set()
        self.queried = 0
        self.hits = 0

    def complete(
        self, request: Mapping[str, Any], behaviour: Behaviour, fault: Fault | None, ordinal: int
    ) -> Json:
        """The completion of a checked request; raises ``BadConstraint`` for what gives 400."""
        messages = request["messages"]
        text = "\n".join(str(message.get("content") or "") for message in messages)
        constraint = constraint_of(request, behaviour.backend)
        blocks = truth.blocks_of(text)
        said = [
            _said(request, behaviour, fault, constraint, blocks, text, sample)
            for sample in range(int(request.get("n") or 1))
        ]
        prompt_tokens = tokens_in(text)
        usage: Json = {
            "prompt_tokens": prompt_tokens,
            "completion_tokens": sum(one.tokens for one in said),
            "prompt_tokens_details": {"cached_tokens": self._cached(text)},
        }
        usage["total_tokens"] = prompt_tokens + usage["completion_tokens"]
        if behaviour.thinking_tokens:
            thought = sum(one.reasoning_tokens for one in said)
            usage["completion_tokens_details"] = {"reasoning_tokens": thought}
        return {
            "id": f"chatcmpl-stub-{ordinal}",
            "object": "chat.completion",
            "created": 0,
            "model": request.get("model") or behaviour.model,
            "choices": [
                _choice(place, one, request, constraint, behaviour)
                for place, one in enumerate(said)
            ],
            "usage": usage,
        }

    def _cached(self, text: str) -> int:
        """Tokens of the longest known prefix, in whole blocks; the rest is remembered."""
        if len(self._prefixes) > MOST_PREFIXES:
            self._prefixes.clear()
        cached, known, running = 0, True, 0
        step = BLOCK * LETTERS_PER_TOKEN
        for end in range(step, len(text) + 1, step):
            running = hash((running, text[end - step : end]))
            known = known and running in self._prefixes
            cached += BLOCK if known else 0
            self._prefixes.add(running)
        self.queried += tokens_in(text)
        self.hits += cached
        return cached


def thinks(request: Mapping[str, Any], behaviour: Behaviour) -> bool:
    """Whether the model thinks: it does unless told not to."""
    told = (request.get("chat_template_kwargs") or {}).get("enable_thinking", True)
    return bool(behaviour.thinking_tokens and told and request.get("reasoning_effort") != "none")


def room_of(request: Mapping[str, Any], behaviour: Behaviour) -> int:
    """The tokens an answer may take."""
    asked = request.get("max_completion_tokens", request.get("max_tokens"))
    return behaviour.max_model_len if asked is None else int(asked)


def _said(
    request: Mapping[str, Any],
    behaviour: Behaviour,
    fault: Fault | None,
    constraint: Constraint,
    blocks: Mapping[str, str],
    text: str,
    sample: int,
) -> Said:
    if fault in WITHOUT_ANSWER:
        return WITHOUT_ANSWER[fault]
    salt = _salt(request, behaviour, text, sample)
    held = FREE if fault is Fault.IGNORED else constraint
    answer = _answer(held, blocks, text, salt, obeys=fault is not Fault.IGNORED)
    answer = _spoiled(answer, fault, held)
    if thinks(request, behaviour):
        said = _with_thinking(answer, request, behaviour)
    else:
        said = Said(answer, tokens=tokens_in(answer))
    return _cut(said, 1 if fault is Fault.TRUNCATED else room_of(request, behaviour))


def _salt(request: Mapping[str, Any], behaviour: Behaviour, text: str, sample: int) -> str:
    """What makes samples differ: empty for the share of requests that are answered by the truth."""
    told = f"{request.get('seed')}:{sample}"
    return told if truth.share("noise", text, told) < behaviour.noise else ""


def _answer(
    constraint: Constraint, blocks: Mapping[str, str], text: str, salt: str, *, obeys: bool
) -> str:
    response, criterion = blocks.get("response", ""), blocks.get("criterion", "")
    if constraint.choice:
        if "criterion" in blocks:
            return truth.planted_verdict(response, criterion + salt, constraint.choice)
        return truth.planted_answer(constraint.choice, text, salt)
    if constraint.schema is not None:
        value = Conforming(blocks, salt).value(constraint.schema)
        return json.dumps(value, ensure_ascii=False)
    if constraint.score or (obeys and "[[" in text):
        return (
            f"It serves its purpose with some flaws. [[{truth.planted_score(response + salt):g}]]"
        )
    if obeys and "criterion" in blocks:
        return truth.planted_verdict(response, criterion + salt, ("yes", "part", "no"))
    return PROSE


def _spoiled(answer: str, fault: Fault | None, constraint: Constraint) -> str:
    if fault is Fault.NONSENSE:
        return NONSENSE
    if fault is Fault.THINK_TAGS:
        return f"<think>\nMaybe no? [[1]]\n</think>\n\n{answer}"
    if fault is Fault.WRONG_ID and constraint.schema:
        return json.dumps({**json.loads(answer), "id": "another:0000"})
    if fault is Fault.OFF_SCALE and constraint.schema:
        return json.dumps({**json.loads(answer), "verdict": "mostly"})
    if fault is Fault.OFF_SCALE:
        return "It is beyond praise. [[11]]" if constraint.score else "mostly"
    return answer


WITHOUT_ANSWER: Final[Mapping[Fault | None, Said]] = {
    Fault.NULL_CONTENT: Said(None, reasoning=THOUGHT, tokens=8, reasoning_tokens=8),
    Fault.EMPTY: Said(""),
    Fault.REFUSAL: Said(None, refusal="I cannot help with that.", tokens=6),
    Fault.CONTENT_FILTER: Said("", finish="content_filter"),
}


def _with_thinking(answer: str, request: Mapping[str, Any], behaviour: Behaviour) -> Said:
    spent = min(behaviour.thinking_tokens, room_of(request, behaviour))
    thought = (THOUGHT * (spent * LETTERS_PER_TOKEN // len(THOUGHT) + 1))[
        : spent * LETTERS_PER_TOKEN
    ]
    if spent < behaviour.thinking_tokens:
        # The grammar waits for the end of the thinking, which never comes.
        return Said(None, reasoning=thought, finish="length", tokens=spent, reasoning_tokens=spent)
    tokens = spent + tokens_in(answer)
    if behaviour.reasoning_parser:
        return Said(answer, reasoning=thought, tokens=tokens, reasoning_tokens=spent)
    return Said(f"<think>\n{thought}\n</think>\n\n{answer}", tokens=tokens)


def _cut(said: Said, room: int) -> Said:
    """The choice cut at the limit of tokens."""
    if said.content is None or said.tokens <= room:
        return said
    letters = max(0, room - said.reasoning_tokens) * LETTERS_PER_TOKEN
    return replace(said, content=said.content[:letters], finish="length", tokens=room)


def _choice(
    place: int,
    said: Said,
    request: Mapping[str, Any],
    constraint: Constraint,
    behaviour: Behaviour,
) -> Json:
    message: Json = {"role": "assistant", "content": said.content, "refusal": said.refusal}
    if behaviour.backend is Backend.VLLM:
        message["reasoning"] = said.reasoning
    elif said.reasoning is not None:
        message["reasoning_content"] = said.reasoning
    wanted = request.get("logprobs") and said.content
    return {
        "index": place,
        "message": message,
        "finish_reason": said.finish,
        "logprobs": _logprobs(said.content or "", constraint.choice) if wanted else None,
    }


def _logprobs(content: str, choice: Sequence[str]) -> Json:
    """The answer as one token with the alternatives left by the constraint, as vLLM masks them."""
    others = [one for one in choice if one != content]
    rest = (1 - PLANTED_SHARE) / len(others) if others else 0.0
    shares = {content: PLANTED_SHARE, **dict.fromkeys(others, rest)} if choice else {content: 1.0}
    rows = [{"token": one, "logprob": math.log(share)} for one, share in shares.items()]
    masked = [{"token": word, "logprob": MASKED} for word in (" the", "{", "I")]
    told = {"token": content, "logprob": rows[0]["logprob"], "top_logprobs": rows + masked}
    return {"content": [told]}
