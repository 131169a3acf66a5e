"""What the API takes and gives: runs, their progress, their verdicts and the calls behind one."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal, Self

from ninja import Schema

from apps.activity.wishes import Wish
from apps.judging.models import JudgeRun, Verdict
from apps.judging.selectors import Progress
from apps.judging.services import ExplainedCall


class RunIn(Wish):
    """A run over rollouts (their numbers; all when left out), of which `limit` takes the first.

    With the scope `failed` it asks again what failed in the run `parent`, by that one's settings.
    """

    rollouts: list[int] | None = None
    limit: int | None = None
    output_mode: Literal["explained", "label"] = "explained"
    samples: int = 1
    scope: Literal["all", "failed"] = "all"
    parent: int | None = None


class ProgressOut(Schema):
    """Cells by state; scored, unscored, failed, queued and running sum to expected."""

    expected: int
    scored: int
    unscored: int
    failed: int
    queued: int
    running: int
    repeated: int
    unscored_by_reason: dict[str, int]
    failed_by_cause: dict[str, int]

    @classmethod
    def of(cls, progress: Progress) -> Self:
        return cls.model_validate(progress, from_attributes=True)


class RunOut(Schema):
    """A run. `block_reason` says why it stands still, and what to do."""

    number: int
    state: str
    scope: str
    parent: int | None
    output_mode: str
    samples: int
    expected: int
    block_cause: str
    block_reason: str
    created_at: datetime
    finished_at: datetime | None

    @classmethod
    def of(cls, run: JudgeRun, **more: Any) -> Self:
        parent = run.parent.number if run.parent else None
        names = [name for name in RunOut.model_fields if name != "parent"]
        return cls(**{name: getattr(run, name) for name in names}, parent=parent, **more)


class RunDetailOut(RunOut):
    """A run with the identity of its judge and its progress; `notice` tells what it leaves out."""

    judge: dict[str, Any]
    judge_sha256: str
    progress: ProgressOut
    notice: str = ""


class RunsOut(Schema):
    items: list[RunOut]
    next: str | None


class VerdictOut(Schema):
    """One cell. `criterion` is its key, null for the global score; `rollout` is a number."""

    id: int
    run: int
    rollout: int
    criterion: str | None
    sample: int
    state: str
    reason: str
    answer: str
    score: float | None
    flags: list[str]
    created_at: datetime

    @classmethod
    def of(cls, verdict: Verdict, *, run: int, **more: Any) -> Self:
        names = ["id", "sample", "state", "reason", "answer", "score", "flags", "created_at"]
        return cls(
            **{name: getattr(verdict, name) for name in names},
            run=run,
            rollout=verdict.rollout.number,
            criterion=verdict.criterion.key if verdict.criterion else None,
            **more,
        )


class VerdictsOut(Schema):
    items: list[VerdictOut]
    next: str | None


class CallOut(Schema):
    """One attempt: what was asked, how, what came back, and what it took."""

    id: int
    at: datetime
    role: str
    attempt: int
    template: str
    template_version: int
    template_sha256: str
    request: dict[str, Any] | None
    request_sha256: str
    sampling: dict[str, Any] | None
    answer: str | None
    reasoning: str | None
    refusal: str
    parsed: Any
    served_model: str
    finish_reason: str
    http_status: int | None
    error_cause: str
    error: str
    prompt_tokens: int | None
    completion_tokens: int | None
    cached_tokens: int | None
    reasoning_tokens: int | None
    latency_ms: int | None
    dropped: str

    @classmethod
    def of(cls, explained: ExplainedCall) -> Self:
        def value(name: str) -> Any:
            source = explained if hasattr(explained, name) else explained.call
            return getattr(source, name)

        return cls(**{name: value(name) for name in cls.model_fields})


class VerdictDetailOut(VerdictOut):
    """A verdict with the judge's evidence and every call behind it."""

    evidence: str
    calls: list[CallOut]
