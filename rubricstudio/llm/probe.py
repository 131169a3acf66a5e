"""What a server really obeys, found out before anybody is judged.

Servers ignore fields they do not know and answer freely, so a constraint counts only after it was
seen to hold. The canaries ask for words that no model would say by itself; plain servers, whose
models may also be kept to the form by words alone, are told the word.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple

from rubricstudio.core.canonical import canonical_hash, sha256_hex
from rubricstudio.core.parsing import Parsed, Reply, strip_thinking
from rubricstudio.core.types import FailureCause, UnscoredReason
from rubricstudio.llm.asking import Means, ask
from rubricstudio.llm.client import (
    Asked,
    Backend,
    ModelSettings,
    OutputMode,
    Priority,
    Thinking,
)
from rubricstudio.llm.errors import EndpointError, EndpointUnusable
from rubricstudio.llm.openai_client import OpenAIModel
from rubricstudio.llm.questions import Question
from rubricstudio.llm.render import Template, fresh_nonce, shipped_templates
from rubricstudio.llm.schemas import word_object
from rubricstudio.llm.shapes import JsonOf, OneOf, Shape
from rubricstudio.llm.transport import MODELS, Transport

NONSENSE: Final = ("quorvik", "zimbelan")


LENGTHS: Final = ("max_model_len", "context_length", "context_window")
"""What vLLM and others call the context length in their list of models."""


@dataclass(frozen=True, slots=True)
class Probe:
    """What was found. ``mode`` is the output mode that works: the configured one if it does.

    ``models`` are those the server lists, ``context_length`` the tokens that the model takes in and
    gives out together, ``None`` where the server does not tell. ``served_model``,
    ``server_version`` and the hash of the server's chat template are part of a judge's identity,
    and empty where it does not tell them.
    ``probabilities`` tells whether the mode ``label`` comes with P(answer); ``thinks`` whether the
    model thought when told to, ``None`` where it is never told to.
    """

    models: tuple[str, ...]
    context_length: int | None
    served_model: str
    server_version: str
    chat_template_sha256: str
    mode: OutputMode
    probabilities: bool
    thinks: bool | None


@dataclass(frozen=True, slots=True)
class Word:
    """What a canary was answered with, and whether its probability came along."""

    word: str
    probabilities: bool


OnCanary = Callable[[Asked[Word]], None]


def unheard(_asked: Asked[Word]) -> None:
    """What becomes of canaries that nobody keeps."""


async def probe(model: OpenAIModel, *, on_canary: OnCanary = unheard) -> Probe:
    """Find out whether this model may judge, and how.

    ``on_canary`` gets what came of each question, whatever becomes of the probe. Raises
    :class:`~rubricstudio.llm.errors.EndpointError` with a sentence where the model may not judge:
    the server does not answer, has no such model, or ignores the constraints of both output modes.
    """
    listed = await _listed(model.transport)
    models = tuple(listed)
    _check_listed(models, model.settings)
    ask_canary = _Canary(model, on_canary)
    word = await ask_canary(OneOf(NONSENSE))
    whole = await ask_canary(JsonOf("canary", word_object(NONSENSE)))
    server = await _server(model)
    plain = model.settings.endpoint.backend is Backend.OPENAI
    return Probe(
        models=models,
        context_length=listed.get(model.settings.model) or server.context_length,
        served_model=whole.calls[-1].served_model,
        server_version=server.version,
        chat_template_sha256=server.chat_template_sha256,
        # A plain server is not told a choice at all; its words are read as strictly.
        mode=_mode(model, label=word if not plain else whole, explained=whole),
        probabilities=word.value is not None and word.value.probabilities,
        thinks=await _thinks(model, ask_canary),
    )


async def listed_models(transport: Transport) -> tuple[str, ...]:
    """The models that a server lists; none where it keeps no list."""
    return tuple(await _listed(transport))


async def _listed(transport: Transport) -> dict[str, int | None]:
    """The models by name, each with its context length where the server tells it beside."""
    try:
        answer = await transport.get(MODELS)
    except EndpointError as error:
        if error.status in (404, 405, 501):
            return {}
        raise
    rows = answer.data.get("data") if isinstance(answer.data, Mapping) else None
    named = [row for row in rows or () if isinstance(row, Mapping) and "id" in row]
    return {str(row["id"]): _length(row, *LENGTHS) for row in named}


def _length(told: Mapping[str, Any], *names: str) -> int | None:
    found = (told.get(name) for name in names)
    return next((one for one in found if isinstance(one, int) and one > 0), None)


def _check_listed(names: tuple[str, ...], settings: ModelSettings) -> None:
    """vLLM answers to the names it lists only; others take any name, or list some of theirs."""
    endpoint = settings.endpoint
    if names and settings.model not in names and endpoint.backend is Backend.VLLM:
        raise EndpointUnusable(
            f"{endpoint.base_url} serves {', '.join(names):.200} and not {settings.model!r}; set "
            "the model to one of those",
            cause=FailureCause.MODEL_MISSING,
        )


class _Server(NamedTuple):
    version: str
    chat_template_sha256: str
    context_length: int | None = None


async def _server(model: OpenAIModel) -> _Server:
    """What a server tells of itself, beside its API: vLLM and llama.cpp do, plain ones do not.

    vLLM shows its chat template only when it is started with ``--enable-tokenizer-info-endpoint``.
    """
    backend = model.settings.endpoint.backend
    if backend is Backend.VLLM:
        version, info = await _told(model, "version"), await _told(model, "tokenizer_info")
        return _Server(_text(version, "version"), _template_sha256(info))
    if backend is Backend.LLAMACPP:
        props = await _told(model, "props")
        settings = props.get("default_generation_settings")
        length = _length(settings, "n_ctx") if isinstance(settings, Mapping) else None
        return _Server(_text(props, "build_info"), _template_sha256(props), length)
    return _Server("", "")


async def _told(model: OpenAIModel, path: str) -> Mapping[str, Any]:
    """The JSON object of a path above the API; empty where the server has none to tell."""
    root = model.settings.endpoint.base_url.rstrip("/").removesuffix("/v1")
    try:
        answer = await model.transport.get(f"{root}/{path}")
    except EndpointError as error:
        if error.status is None:
            raise
        return {}
    return answer.data if isinstance(answer.data, Mapping) else {}


def _text(told: Mapping[str, Any], name: str) -> str:
    value = told.get(name)
    return value if isinstance(value, str) else ""


def _template_sha256(told: Mapping[str, Any]) -> str:
    """Several templates by name, which some tokenizers have, count as one."""
    template = told.get("chat_template")
    if not template:
        return ""
    return sha256_hex(template.encode()) if isinstance(template, str) else canonical_hash(template)


@dataclass(frozen=True, slots=True)
class _Canary:
    """Asks for a nonsense word; raises where the question could not be asked at all."""

    model: OpenAIModel
    on_canary: OnCanary

    async def __call__(self, shape: Shape, *, thinking: Thinking = Thinking.NEVER) -> Asked[Word]:
        """Whether constraints hold is asked without thinking, which is a question of its own."""
        model = self.model
        if model.settings.thinking is Thinking.UNSAID:
            thinking = Thinking.UNSAID
        settings = replace(model.settings, thinking=thinking, priority=Priority.PERSON)
        question = Question(self._template(shape), {}, fresh_nonce(), shape, _read_word)
        asked = await ask(question, means=Means(settings, model.transport, model.limiter))
        self.on_canary(asked)
        if asked.failure is not None and asked.failure is not FailureCause.BAD_REQUEST:
            raise EndpointUnusable(asked.detail, cause=asked.failure)
        return asked

    def _template(self, shape: Shape) -> Template:
        told = self.model.settings.endpoint.backend is Backend.OPENAI and isinstance(shape, JsonOf)
        return shipped_templates()["canary_told" if told else "canary"]


def _read_word(reply: Reply) -> Parsed[Word]:
    said = strip_thinking(reply.content or "")
    try:
        found = json.loads(said)
    except ValueError:
        found = {"word": said}
    word = found.get("word") if isinstance(found, Mapping) and len(found) == 1 else None
    if word not in NONSENSE:
        return Parsed(reason=UnscoredReason.UNPARSABLE, detail=f"it said {said!r:.80}")
    return Parsed(Word(str(word), reply.probabilities is not None))


def _mode(model: OpenAIModel, *, label: Asked[Any], explained: Asked[Any]) -> OutputMode:
    works = {OutputMode.LABEL: label.value, OutputMode.EXPLAINED: explained.value}
    wanted: list[OutputMode] = [model.settings.output, *OutputMode]
    for mode in wanted:
        if works[mode] is not None:
            return mode
    endpoint = model.settings.endpoint
    raise EndpointUnusable(
        f"{endpoint.base_url} (backend {endpoint.backend}) ignores what an answer is held to: "
        f"asked for {' or '.join(NONSENSE)}, {explained.detail}. Nothing is judged; check the "
        "backend setting",
        cause=FailureCause.CONSTRAINT_IGNORED,
    )


async def _thinks(model: OpenAIModel, ask_canary: _Canary) -> bool | None:
    """Whether thinking works together with a held answer; raises where the answer gets lost."""
    if model.settings.thinking in (Thinking.NEVER, Thinking.UNSAID):
        return None
    shape = JsonOf("canary", word_object(NONSENSE))
    asked = await ask_canary(shape, thinking=Thinking.ALWAYS)
    if asked.value is None:
        raise EndpointUnusable(
            f"{model.settings.endpoint.base_url} gives no held answer while thinking: "
            f"{asked.detail}. Turn thinking off for this model, or check the server's reasoning "
            "parser",
            cause=FailureCause.CONSTRAINT_IGNORED,
        )
    last = asked.calls[-1]
    return bool(last.reasoning or last.reasoning_tokens)
