"""The shape an answer is held to, and how each backend is told.

vLLM takes ``structured_outputs``; llama.cpp takes a grammar or a JSON schema; a plain server takes
a JSON schema in the strict subset, and is left to the template's words for the rest. Fields that a
server does not know are ignored in silence, so what really holds is found out by ``probe``.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Protocol

from rubricstudio.llm.client import Backend

Fields = dict[str, Any]

CHOICE_ROOM: Final = 16
"""Tokens that the longest single-word answer may take."""
MOST_ALTERNATIVES: Final = 20
"""How many alternatives per token are asked for; servers refuse more by default."""
ASSESSMENT: Final = "[^\\[\\]]{1,1200}"
SCORE: Final = "\\[\\[(10|[0-9](\\.[0-9])?)\\]\\]"


class Shape(Protocol):
    """What a request says about the form of the answer."""

    @property
    def room(self) -> int | None:
        """Tokens the answer needs at most; ``None`` leaves it to the sampling."""
        ...

    def fields(self, backend: Backend) -> Fields:
        """The fields of the request that hold the answer to this form."""
        ...

    def __hash__(self) -> int: ...


@dataclass(frozen=True, slots=True)
class OneOf:
    """One of some words and nothing else, with the probability of each."""

    answers: tuple[str, ...]

    @property
    def room(self) -> int | None:
        return CHOICE_ROOM

    def fields(self, backend: Backend) -> Fields:
        asked: Fields = {"logprobs": True, "top_logprobs": MOST_ALTERNATIVES}
        if backend is Backend.VLLM:
            asked["structured_outputs"] = {"choice": list(self.answers)}
        elif backend is Backend.LLAMACPP:
            words = " | ".join(json.dumps(answer) for answer in self.answers)
            asked["grammar"] = f"root ::= {words}"
        return asked


@dataclass(frozen=True, slots=True, eq=False)
class JsonOf:
    """One JSON object of a schema. Equal only to itself, so that bodies can be remembered by it."""

    name: str
    schema: Mapping[str, Any]

    @property
    def room(self) -> int | None:
        return None

    def fields(self, backend: Backend) -> Fields:
        if backend is Backend.VLLM:
            return {"structured_outputs": {"json": self.schema}}
        schema = strict_subset(self.schema) if backend is Backend.OPENAI else self.schema
        wanted = {"name": self.name, "strict": True, "schema": schema}
        return {"response_format": {"type": "json_schema", "json_schema": wanted}}


@dataclass(frozen=True, slots=True)
class EndsInScore:
    """Prose without square brackets that ends in ``[[x]]``."""

    @property
    def room(self) -> int | None:
        return None

    def fields(self, backend: Backend) -> Fields:
        if backend is Backend.VLLM:
            return {"structured_outputs": {"regex": ASSESSMENT + SCORE}}
        if backend is Backend.LLAMACPP:
            return {"grammar": SCORE_GRAMMAR}
        return {}


SCORE_GRAMMAR: Final = (
    "root ::= word{1,60} score\n"
    'word ::= [^\\[\\] ]{1,24} " "\n'
    'score ::= "[[" ("10" | [0-9] ("." [0-9])?) "]]"'
)


def strict_subset(schema: Any) -> Any:
    """A schema without the keywords that strict JSON schemas of plain servers refuse."""
    if isinstance(schema, Mapping):
        return {
            key: strict_subset(value)
            for key, value in schema.items()
            if key not in ("maxLength", "minLength")
        }
    return [strict_subset(one) for one in schema] if isinstance(schema, list) else schema
