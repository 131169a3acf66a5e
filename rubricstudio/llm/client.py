"""What the application says to this package: configuration, protocols, answers and records.

A call that fails is a record too. ``Asked`` is what came of one question over all its attempts: a
value, or the reason why the answer was unusable (final), or the cause why there was none (may be
asked again). The errors behind it are drawn in ``llm/errors.py``.
"""

from collections.abc import Awaitable, Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import IntEnum, StrEnum
from typing import Final, Generic, Protocol, TypeVar

from rubricstudio.core.errors import SettingsError
from rubricstudio.core.parsing import (
    CodeDraft,
    ExtractedConstraints,
    GlobalScore,
    Judgement,
    RubricDraft,
    TaskLabel,
)
from rubricstudio.core.types import (
    Criterion,
    FailureCause,
    Message,
    UnscoredReason,
    VerdictState,
)

T = TypeVar("T")

OF_THE_ENDPOINT: Final = frozenset(
    {
        FailureCause.AUTH,
        FailureCause.CONSTRAINT_IGNORED,
        FailureCause.MODEL_MISSING,
        FailureCause.QUOTA,
        FailureCause.UNREACHABLE,
    }
)
"""Causes that meet every request alike: they say nothing about a question, and end a pass."""


class Backend(StrEnum):
    """The kind of server, which decides how constraints are written into a request."""

    VLLM = "vllm"
    LLAMACPP = "llamacpp"
    OPENAI = "openai"


class ModelRole(StrEnum):
    """The six things a model is asked for; each points to an endpoint, a model and a sampling."""

    LABEL = "label"
    RUBRIC = "rubric"
    CONSTRAINTS = "constraints"
    CODE = "code"
    JUDGE = "judge"
    GLOBAL = "global"


class OutputMode(StrEnum):
    """``explained``: evidence, then verdict, as JSON. ``label``: one word with probabilities."""

    EXPLAINED = "explained"
    LABEL = "label"


class Priority(IntEnum):
    """Who is answered first by a server that sorts its queue: the lower number."""

    PERSON = 0
    BATCH = 10


LIGHT_WEIGHT: Final = 2
"""Paper 000, appendix A.1: criteria of weight 1 and 2 are judged without thinking."""


class Thinking(StrEnum):
    """When the model is told to think; ``unsaid`` sends no switch, for servers that refuse it."""

    BY_WEIGHT = "by_weight"
    ALWAYS = "always"
    NEVER = "never"
    UNSAID = "unsaid"

    def switch(self, weight: float | None) -> bool | None:
        """Whether to think about a criterion of this weight; ``None`` weight is no criterion."""
        if self is Thinking.UNSAID:
            return None
        if self is Thinking.BY_WEIGHT:
            return weight is None or weight > LIGHT_WEIGHT
        return self is Thinking.ALWAYS


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a server is. ``base_url`` ends in ``/v1``; timeouts are seconds.

    ``sorts_by_priority`` is for a vLLM server started with ``--scheduling-policy priority``, which
    does not tell it; others get no priority.
    """

    base_url: str
    backend: Backend
    api_key: str = field(default="", repr=False)
    sorts_by_priority: bool = False
    timeout: float = 120.0
    connect_timeout: float = 5.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "backend", Backend(self.backend))
        if not self.base_url.startswith(("http://", "https://")):
            raise SettingsError(
                f"the address {self.base_url!r:.80} starts with http:// or https://"
            )
        if not (self.timeout > 0 and self.connect_timeout > 0):
            raise SettingsError("the timeouts of an endpoint are seconds above 0")


@dataclass(frozen=True, slots=True)
class Drawing:
    """How tokens are drawn; ``None`` leaves a number to the server and is not sent."""

    temperature: float | None = 0.0
    top_p: float | None = None
    top_k: int | None = None
    presence_penalty: float | None = None


@dataclass(frozen=True, slots=True)
class Sampling:
    """How tokens are drawn, and how many there may be.

    The first four are those of :class:`Drawing`; where the model is told not to think,
    ``without_thinking`` takes their place if it is set (paper 000, Table 7, has numbers for both).
    ``max_tokens`` is room for the answer alone, ``thinking_tokens`` is added where the model
    thinks. ``seed`` is that of sample 0; sample k of a call uses ``seed + k``.
    """

    temperature: float | None = 0.0
    top_p: float | None = None
    top_k: int | None = None
    presence_penalty: float | None = None
    without_thinking: Drawing | None = None
    max_tokens: int = 512
    thinking_tokens: int = 8192
    seed: int | None = None

    def __post_init__(self) -> None:
        if self.max_tokens < 1 or self.thinking_tokens < 0:
            raise SettingsError("max_tokens is at least 1 and thinking_tokens at least 0")

    def drawing(self, switch: bool | None) -> Drawing:
        """The numbers for a request that says this about thinking (``None``: nothing)."""
        if switch is False and self.without_thinking is not None:
            return self.without_thinking
        return Drawing(self.temperature, self.top_p, self.top_k, self.presence_penalty)


@dataclass(frozen=True, slots=True)
class RetryRule:
    """The only layer that asks again (the SDK's own retries are off). Seconds, and counts.

    ``attempts`` bounds transient failures, ``reparses`` unusable answers, ``deadline`` all of a
    question's attempts together. The k-th wait is drawn from [d/2, d] with
    d = min(longest_delay, first_delay 2^k), and is at least what the server's Retry-After says.
    A cut answer is asked once more with ``growth`` times the room.
    """

    attempts: int = 5
    reparses: int = 2
    first_delay: float = 0.5
    longest_delay: float = 30.0
    deadline: float = 900.0
    growth: int = 4

    def __post_init__(self) -> None:
        if self.attempts < 1 or self.reparses < 0 or self.growth < 2:
            raise SettingsError("attempts is at least 1, reparses at least 0, growth at least 2")


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """A configured model in a role: with the template's hash, the identity of a judge.

    Where words come from a table, the plain text of a rule or mode will do. ``priority`` says when
    it is answered and nothing about the answer.
    """

    endpoint: Endpoint
    model: str
    sampling: Sampling = Sampling()
    thinking: Thinking = Thinking.BY_WEIGHT
    output: OutputMode = OutputMode.EXPLAINED
    retry: RetryRule = RetryRule()
    priority: Priority = Priority.BATCH

    def __post_init__(self) -> None:
        object.__setattr__(self, "thinking", Thinking(self.thinking))
        object.__setattr__(self, "output", OutputMode(self.output))


@dataclass(frozen=True, slots=True)
class CallRecord:
    """One attempt, successful or not, with all that rebuilds its request byte for byte.

    ``render.request_bytes(template, slots, nonce, body)`` gives the bytes whose sha256 is
    ``request_sha256``. ``body`` is the request's JSON text without the messages, equal for all
    calls of a run but for scale, thinking switch and seed; ``content`` is the raw answer. Token
    counts are ``None`` where the server did not say; ``cause`` and ``error`` are set where the
    attempt failed.
    """

    template_name: str
    template_sha256: str
    slots: Mapping[str, str]
    nonce: str
    body: str
    request_sha256: str
    attempt: int
    started_at: datetime
    latency_ms: float
    content: str | None = None
    reasoning: str | None = None
    finish_reason: str | None = None
    refusal: str | None = None
    http_status: int | None = None
    served_model: str = ""
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached_tokens: int | None = None
    reasoning_tokens: int | None = None
    cause: FailureCause | None = None
    error: str = ""


@dataclass(frozen=True, slots=True)
class Asked(Generic[T]):
    """What came of one question: a value, an unscored reason or a failure cause, one of them.

    ``detail`` is a sentence about a reason or cause; ``calls`` holds every attempt in order.
    """

    value: T | None = None
    unscored: UnscoredReason | None = None
    failure: FailureCause | None = None
    detail: str = ""
    flags: tuple[str, ...] = ()
    calls: tuple[CallRecord, ...] = ()

    def __post_init__(self) -> None:
        if [self.value, self.unscored, self.failure].count(None) != 2:
            raise SettingsError("an answer is a value, a reason or a cause, exactly one of them")

    @property
    def state(self) -> VerdictState:
        if self.value is not None:
            return VerdictState.SCORED
        return VerdictState.FAILED if self.failure else VerdictState.UNSCORED


class Limiter(Protocol):
    """The slots for requests in flight at one endpoint, shared by whoever asks there.

    ``slow_down`` tells that the server was overloaded, and for how many seconds it asks to be left
    alone.
    """

    async def acquire(self) -> None: ...

    def release(self) -> None: ...

    def slow_down(self, seconds: float) -> None: ...


class Labeller(Protocol):
    async def label(
        self, prompt: Sequence[Message], *, nonce: str | None = None
    ) -> Asked[TaskLabel]:
        """The task label of a prompt; ``general`` where the model is unsure."""
        ...


class RubricWriter(Protocol):
    async def write_rubric(
        self, prompt: Sequence[Message], *, label: str, nonce: str | None = None
    ) -> Asked[RubricDraft]:
        """The weighted criteria for one prompt, made from the prompt alone."""
        ...


class ConstraintExtractor(Protocol):
    async def extract_constraints(
        self, prompt: Sequence[Message], *, generated: bool = False, nonce: str | None = None
    ) -> Asked[ExtractedConstraints]:
        """The explicit, surface-checkable requirements of the prompt's last user turn.

        ``generated`` includes those that no constraint type expresses.
        """
        ...


class CodeWriter(Protocol):
    async def write_code(
        self,
        prompt: Sequence[Message],
        *,
        requirement: str,
        attempt: str,
        modules: Sequence[str],
        nonce: str | None = None,
    ) -> Asked[CodeDraft]:
        """The source of a checker for one requirement; ``attempt`` tells of an earlier one."""
        ...


@dataclass(frozen=True, slots=True)
class JudgeItem:
    """One cell to fill: a criterion of a rollout, or its global score (``criterion`` None).

    ``key`` is the caller's name for the cell. Without a ``nonce`` one is derived from the prompt
    and a secret of this process, so that all calls about one prompt share their first tokens and
    the server's prefix cache.
    """

    key: Hashable
    prompt: Sequence[Message]
    response: Sequence[Message]
    criterion: Criterion | None
    sample: int = 0
    nonce: str | None = None


Answered = Asked[Judgement] | Asked[GlobalScore]
OnAnswer = Callable[[JudgeItem, Answered], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class ManyAsked:
    """How a pass over many items ended.

    ``answered`` items went to the callback; ``cause`` and ``detail`` are set when the endpoint
    turned out unusable and the rest was left alone; ``stopped`` when the caller asked to stop or
    the deadline came. Both leave the rest without an answer, to be asked by a later pass.
    """

    answered: int
    stopped: bool = False
    cause: FailureCause | None = None
    detail: str = ""


class Judge(Protocol):
    async def judge(
        self,
        prompt: Sequence[Message],
        response: Sequence[Message],
        *,
        criterion: Criterion,
        sample: int = 0,
        nonce: str | None = None,
    ) -> Asked[Judgement]:
        """The answer to one criterion, judged on its own."""
        ...


class GlobalScorer(Protocol):
    async def score(
        self,
        prompt: Sequence[Message],
        response: Sequence[Message],
        *,
        sample: int = 0,
        nonce: str | None = None,
    ) -> Asked[GlobalScore]:
        """The holistic score, 0 to 10, given without sight of the rubric."""
        ...


class BulkJudge(Protocol):
    async def judge_many(
        self,
        items: Iterable[JudgeItem],
        on_answer: OnAnswer,
        *,
        concurrency: int,
        stop: Callable[[], bool] = lambda: False,
        seconds: float | None = None,
    ) -> ManyAsked:
        """Judge with ``concurrency`` questions at once, handing over each answer when it is there.

        Items are taken in order, so keep the criteria of one response next to each other.
        ``stop`` and the deadline (``seconds`` from now) end the taking of new items; what is in
        flight is finished and handed over.
        """
        ...
