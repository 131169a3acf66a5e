"""The protocols of ``client`` answering from a script, in place of a model. For unit tests."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from rubricstudio.core.parsing import (
    CodeDraft,
    ExtractedConstraints,
    GlobalScore,
    Judgement,
    RubricDraft,
    TaskLabel,
    score_of,
)
from rubricstudio.core.types import Criterion, FailureCause, Message, UnscoredReason
from rubricstudio.llm.asking import never
from rubricstudio.llm.client import Answered, Asked, JudgeItem, ManyAsked, OnAnswer

Line = str | float | UnscoredReason | FailureCause
"""A scripted answer: a code, a global score, or why there is none."""

NOTHING_FOUND: Final = ExtractedConstraints(())


@dataclass
class ScriptedModel:
    """Answers with what the script says, without calls and records.

    ``answers`` maps a criterion's key to its line, ``overall`` is the global score's line; what is
    not in the script is unscored (missing). ``asked`` keeps the items in the order asked. ``codes``
    come one after the other, and ``attempts`` keeps what each had to do better.
    """

    answers: Mapping[str, Line] = field(default_factory=dict)
    overall: Line = UnscoredReason.MISSING
    task_label: str = "general"
    rubric: Sequence[Criterion] = ()
    constraints: ExtractedConstraints = NOTHING_FOUND
    codes: Sequence[CodeDraft] = ()
    asked: list[JudgeItem] = field(default_factory=list)
    attempts: list[str] = field(default_factory=list)

    async def label(
        self, prompt: Sequence[Message], *, nonce: str | None = None
    ) -> Asked[TaskLabel]:
        return Asked(TaskLabel(self.task_label, self.task_label, 1.0))

    async def write_rubric(
        self, prompt: Sequence[Message], *, label: str, nonce: str | None = None
    ) -> Asked[RubricDraft]:
        if not self.rubric:
            return Asked(unscored=UnscoredReason.MISSING, detail="the script has no rubric")
        return Asked(RubricDraft(tuple(self.rubric)))

    async def extract_constraints(
        self, prompt: Sequence[Message], *, generated: bool = False, nonce: str | None = None
    ) -> Asked[ExtractedConstraints]:
        return Asked(self.constraints)

    async def write_code(
        self,
        prompt: Sequence[Message],
        *,
        requirement: str,
        attempt: str,
        modules: Sequence[str],
        nonce: str | None = None,
    ) -> Asked[CodeDraft]:
        self.attempts.append(attempt)
        if len(self.attempts) > len(self.codes):
            return Asked(unscored=UnscoredReason.MISSING, detail="the script has no code")
        return Asked(self.codes[len(self.attempts) - 1])

    async def judge(
        self,
        prompt: Sequence[Message],
        response: Sequence[Message],
        *,
        criterion: Criterion,
        sample: int = 0,
        nonce: str | None = None,
    ) -> Asked[Judgement]:
        self.asked.append(JudgeItem(criterion.key, prompt, response, criterion, sample, nonce))
        line = self.answers.get(criterion.key, UnscoredReason.MISSING)
        return _asked(line, lambda said: Judgement(str(said), score_of(criterion, str(said))))

    async def score(
        self,
        prompt: Sequence[Message],
        response: Sequence[Message],
        *,
        sample: int = 0,
        nonce: str | None = None,
    ) -> Asked[GlobalScore]:
        self.asked.append(JudgeItem("", prompt, response, None, sample, nonce))
        return _asked(self.overall, lambda said: GlobalScore(float(said), ""))

    async def judge_many(
        self,
        items: Iterable[JudgeItem],
        on_answer: OnAnswer,
        *,
        concurrency: int,
        stop: Callable[[], bool] = never,
        seconds: float | None = None,
    ) -> ManyAsked:
        """One item after another; ``concurrency`` and ``seconds`` have no meaning here."""
        answered = 0
        for item in items:
            if stop():
                return ManyAsked(answered, stopped=True)
            await on_answer(item, await self._answer(item))
            answered += 1
        return ManyAsked(answered)

    async def _answer(self, item: JudgeItem) -> Answered:
        if item.criterion is None:
            return await self.score(item.prompt, item.response, sample=item.sample)
        return await self.judge(
            item.prompt, item.response, criterion=item.criterion, sample=item.sample
        )


def _asked(line: Line, value: Callable[[Any], Any]) -> Asked[Any]:
    if isinstance(line, UnscoredReason):
        return Asked(unscored=line, detail="so says the script")
    if isinstance(line, FailureCause):
        return Asked(failure=line, detail="so says the script")
    return Asked(value(line))
