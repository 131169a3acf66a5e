"""The protocols of ``client`` over any OpenAI-compatible server."""

import asyncio
import secrets
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Final, Self, TypeVar

from rubricstudio.core.parsing import (
    CodeDraft,
    ExtractedConstraints,
    GlobalScore,
    Judgement,
    RubricDraft,
    TaskLabel,
)
from rubricstudio.core.parsing.rubrics import MOST_CRITERIA
from rubricstudio.core.types import Criterion, FailureCause, Message, UnscoredReason
from rubricstudio.llm import questions
from rubricstudio.llm.asking import Means, ask, never
from rubricstudio.llm.client import (
    OF_THE_ENDPOINT,
    Answered,
    Asked,
    JudgeItem,
    Limiter,
    ManyAsked,
    ModelSettings,
    OnAnswer,
)
from rubricstudio.llm.conversation import prompt_text
from rubricstudio.llm.leaving import WayOut
from rubricstudio.llm.questions import Question, Templates
from rubricstudio.llm.render import derived_nonce, shipped_templates
from rubricstudio.llm.transport import Transport

T = TypeVar("T")

SECRET: Final = secrets.token_bytes(32)
"""Makes the nonces of this process unforeseeable; a record keeps the nonce itself."""

OF_ONE_ITEM: Final = frozenset({FailureCause.CANCELLED, FailureCause.CONTEXT_LENGTH})

PATIENCE: Final = 64
"""So many other failures in a row, with nothing answered between them, end a pass as well."""


class OpenAIModel:
    """A configured model that labels, writes rubrics, finds constraints, judges and scores.

    It satisfies all protocols of ``client``. Use it inside ``async with``; it keeps one pool of
    connections per event loop and may be asked any number of things at once. ``most_criteria``
    bounds a rubric, which a small model needs. By ``way_out`` its questions are given up.
    """

    def __init__(
        self,
        settings: ModelSettings,
        *,
        limiter: Limiter,
        templates: Templates | None = None,
        most_criteria: int = MOST_CRITERIA,
        way_out: WayOut | None = None,
    ) -> None:
        self.settings = settings
        self.limiter = limiter
        self.transport = Transport(settings.endpoint)
        self.most_criteria = most_criteria
        self.way_out = way_out or WayOut()
        self._templates = templates or shipped_templates()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.transport.aclose()

    async def ask(self, question: Question[T], *, stop: Callable[[], bool] = never) -> Asked[T]:
        """Put any question to the model, with all retries."""
        means = Means(self.settings, self.transport, self.limiter, stop, self.way_out)
        return await ask(question, means=means)

    async def label(
        self, prompt: Sequence[Message], *, nonce: str | None = None
    ) -> Asked[TaskLabel]:
        nonce = nonce or self.nonce_for(prompt)
        return await self.ask(questions.ask_label(self._templates, prompt, nonce=nonce))

    async def write_rubric(
        self, prompt: Sequence[Message], *, label: str, nonce: str | None = None
    ) -> Asked[RubricDraft]:
        question = questions.ask_rubric(
            self._templates,
            prompt,
            label=label,
            nonce=nonce or self.nonce_for(prompt),
            most=self.most_criteria,
        )
        return await self.ask(question)

    async def extract_constraints(
        self, prompt: Sequence[Message], *, generated: bool = False, nonce: str | None = None
    ) -> Asked[ExtractedConstraints]:
        question = questions.ask_constraints(
            self._templates,
            prompt,
            nonce=nonce or self.nonce_for(prompt),
            generated=generated,
        )
        return await self.ask(question)

    async def write_code(
        self,
        prompt: Sequence[Message],
        *,
        requirement: str,
        attempt: str,
        modules: Sequence[str],
        nonce: str | None = None,
    ) -> Asked[CodeDraft]:
        question = questions.ask_code(
            self._templates,
            prompt,
            requirement=requirement,
            attempt=attempt,
            modules=modules,
            nonce=nonce or self.nonce_for(prompt),
        )
        return await self.ask(question)

    async def judge(
        self,
        prompt: Sequence[Message],
        response: Sequence[Message],
        *,
        criterion: Criterion,
        sample: int = 0,
        nonce: str | None = None,
    ) -> Asked[Judgement]:
        item = JudgeItem("", prompt, response, criterion, sample, nonce)
        return await self._judged(item, criterion, never)

    async def score(
        self,
        prompt: Sequence[Message],
        response: Sequence[Message],
        *,
        sample: int = 0,
        nonce: str | None = None,
    ) -> Asked[GlobalScore]:
        return await self._scored(JudgeItem("", prompt, response, None, sample, nonce), never)

    async def judge_many(
        self,
        items: Iterable[JudgeItem],
        on_answer: OnAnswer,
        *,
        concurrency: int,
        stop: Callable[[], bool] = never,
        seconds: float | None = None,
    ) -> ManyAsked:
        """See :class:`~rubricstudio.llm.client.BulkJudge`."""
        until = None if seconds is None else time.monotonic() + seconds
        work = _Pass(self, iter(items), on_answer, stop, until)
        async with asyncio.TaskGroup() as group:
            for _ in range(concurrency):
                group.create_task(work.run())
        return work.ended()

    async def answer(self, item: JudgeItem, *, stop: Callable[[], bool] = never) -> Answered:
        """Fill one cell: the verdict about its criterion, or the global score."""
        if item.criterion is None:
            return await self._scored(item, stop)
        return await self._judged(item, item.criterion, stop)

    def nonce_for(self, prompt: Sequence[Message]) -> str:
        """The nonce of all calls about one prompt in this process."""
        return derived_nonce(SECRET, prompt_text(prompt))

    async def _judged(
        self, item: JudgeItem, criterion: Criterion, stop: Callable[[], bool]
    ) -> Asked[Judgement]:
        question = questions.ask_verdict(
            self._templates,
            item.prompt,
            item.response,
            criterion=criterion,
            output=self.settings.output,
            nonce=item.nonce or self.nonce_for(item.prompt),
            sample=item.sample,
        )
        if question is None:
            return _nothing_to_judge(f"the response has no such turn: {criterion.scope}")
        return await self.ask(question, stop=stop)

    async def _scored(self, item: JudgeItem, stop: Callable[[], bool]) -> Asked[GlobalScore]:
        question = questions.ask_global(
            self._templates,
            item.prompt,
            item.response,
            nonce=item.nonce or self.nonce_for(item.prompt),
            sample=item.sample,
        )
        if question is None:
            return _nothing_to_judge("the response has no assistant turn")
        return await self.ask(question, stop=stop)


def _nothing_to_judge(detail: str) -> Asked[T]:
    return Asked(unscored=UnscoredReason.MISSING, detail=detail)


@dataclass(slots=True)
class _Pass:
    """One pass over many items, worked on by several tasks at once."""

    model: OpenAIModel
    items: Iterator[JudgeItem]
    on_answer: OnAnswer
    stop: Callable[[], bool]
    until: float | None
    answered: int = 0
    failures: int = 0
    stopped: bool = False
    fatal: Answered | None = None

    async def run(self) -> None:
        """Take items one after another until there is none, or none may be taken."""
        while self._may_go_on():
            item = next(self.items, None)
            if item is None:
                return
            answer = await self.model.answer(item, stop=self._is_over)
            self._look_at(answer)
            await self.on_answer(item, answer)
            self.answered += 1

    def ended(self) -> ManyAsked:
        if self.fatal is None:
            return ManyAsked(self.answered, stopped=self.stopped)
        return ManyAsked(
            self.answered, cause=self.fatal.failure, detail=self.fatal.detail, stopped=self.stopped
        )

    def _is_over(self) -> bool:
        """Whether those that failed are not to be asked again."""
        return self.fatal is not None or self.stop()

    def _may_go_on(self) -> bool:
        late = self.until is not None and time.monotonic() >= self.until
        self.stopped = self.stopped or late or self.stop()
        return not self.stopped and self.fatal is None

    def _look_at(self, answer: Answered) -> None:
        """End the pass where the endpoint answers nobody."""
        if answer.failure is None:
            self.failures = 0
        elif answer.failure not in OF_ONE_ITEM:
            self.failures += 1
        if answer.failure in OF_THE_ENDPOINT or self.failures >= PATIENCE:
            self.fatal = self.fatal or answer
