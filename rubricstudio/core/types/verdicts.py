"""What came of asking: verdicts of a judge and outcomes of checkers.

A failure is never a score. A verdict is *scored*, or *unscored* because the judge gave nothing
usable (final, with a reason), or *failed* because no call was possible (may be asked again).
A checker likewise passes, fails, or has no answer.
"""

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NamedTuple

from rubricstudio.core.errors import VerdictError


class VerdictState(StrEnum):
    """Whether a verdict may count."""

    SCORED = "scored"
    UNSCORED = "unscored"
    FAILED = "failed"


class UnscoredReason(StrEnum):
    """Why an answer of the judge is no verdict. Final for the run that asked."""

    UNPARSABLE = "unparsable"
    TRUNCATED = "truncated"
    REFUSED = "refused"
    EMPTY = "empty"
    OFF_SCALE = "off_scale"
    MISSING = "missing"
    THINKING_ONLY = "thinking_only"
    AMBIGUOUS = "ambiguous"
    EVEN_SPLIT = "even_split"
    CONTENT_FILTER = "content_filter"


class FailureCause(StrEnum):
    """Why there was no answer at all, after the retries. A resumed run may ask again.

    ``unreachable``: no connection came about; ``transport``: one broke.
    """

    UNREACHABLE = "unreachable"
    TRANSPORT = "transport"
    TIMEOUT = "timeout"
    HTTP = "http"
    RATE_LIMITED = "rate_limited"
    SERVER_ERROR = "server_error"
    AUTH = "auth"
    MODEL_MISSING = "model_missing"
    QUOTA = "quota"
    CONTEXT_LENGTH = "context_length"
    CONSTRAINT_IGNORED = "constraint_ignored"
    BAD_REQUEST = "bad_request"
    BAD_RESPONSE = "bad_response"
    CANCELLED = "cancelled"
    BUDGET = "budget"
    LOST_WORKER = "lost_worker"


@dataclass(frozen=True, slots=True)
class Verdict:
    """The judge's answer about one criterion of one rollout.

    ``answer`` is the coded reply (``yes``, ``part``, ``no``, a level, a number as text), or what
    could be made out of an unusable one. ``score`` lies in the range of the criterion's scale and
    is ``None`` unless scored; ``reason`` is ``None`` exactly when scored.
    """

    state: VerdictState
    answer: str = ""
    score: float | None = None
    reason: UnscoredReason | FailureCause | None = None

    def __post_init__(self) -> None:
        if self.state == VerdictState.SCORED:
            self._check_scored()
        elif self.score is not None:
            raise VerdictError(f"an {self.state} verdict has no score, got {self.score}")
        elif self.state == VerdictState.UNSCORED and not isinstance(self.reason, UnscoredReason):
            raise VerdictError(f"an unscored verdict says why, got the reason {self.reason!r}")
        elif self.state == VerdictState.FAILED and not isinstance(self.reason, FailureCause):
            raise VerdictError(f"a failed verdict names its cause, got {self.reason!r}")

    def _check_scored(self) -> None:
        if self.score is None or not math.isfinite(self.score):
            raise VerdictError(f"a scored verdict has a finite score, got {self.score}")
        if self.reason is not None:
            raise VerdictError(f"a scored verdict has no reason, got {self.reason!r}")

    @classmethod
    def scored(cls, answer: str, score: float) -> "Verdict":
        """A usable answer with its number."""
        return cls(VerdictState.SCORED, answer, score)

    @classmethod
    def unscored(cls, reason: UnscoredReason, answer: str = "") -> "Verdict":
        """An answer that gives no verdict, and why."""
        return cls(VerdictState.UNSCORED, answer, None, reason)

    @classmethod
    def failed(cls, cause: FailureCause) -> "Verdict":
        """No answer at all, and the cause."""
        return cls(VerdictState.FAILED, "", None, cause)


class CheckResult(StrEnum):
    """What a checker says about a rollout."""

    PASSED = "passed"
    FAILED = "failed"
    UNAVAILABLE = "unavailable"


class CheckCause(StrEnum):
    """Why a check has no answer; ``ok`` when it has one."""

    OK = "ok"
    REFUSED = "refused"
    ABSTAINED = "abstained"
    QUARANTINED = "quarantined"
    EXCEPTION = "exception"
    TIMEOUT = "timeout"
    MEMORY = "memory"
    CRASH = "crash"
    FORGED = "forged"


class Span(NamedTuple):
    """A stretch of the raw response: code points ``start`` (included) to ``end`` (excluded)."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class CheckOutcome:
    """The answer of one checker about one rollout.

    ``reason`` is one line that a person understands, such as "412 words, at most 300 asked".
    ``spans`` show where in the raw response the answer comes from; they may be empty.
    """

    result: CheckResult
    cause: CheckCause
    reason: str
    spans: tuple[Span, ...] = ()

    def __post_init__(self) -> None:
        answered = self.result is not CheckResult.UNAVAILABLE
        if answered != (self.cause is CheckCause.OK):
            raise VerdictError(f"a check cannot be {self.result} with the cause {self.cause}")

    @classmethod
    def answered(cls, passed: bool, reason: str, spans: tuple[Span, ...] = ()) -> "CheckOutcome":
        """An outcome that passed or failed.

        There are millions of them, and none of these can be inconsistent, so they are made
        without the detour by which a frozen class sets its fields.
        """
        made = _new_outcome(cls)
        _set_result(made, CheckResult.PASSED if passed else CheckResult.FAILED)
        _set_cause(made, CheckCause.OK)
        _set_reason(made, reason)
        _set_spans(made, spans)
        return made

    @property
    def score(self) -> float | None:
        """1 for passed, 0 for failed, ``None`` where the checker has no answer."""
        if self.result is CheckResult.UNAVAILABLE:
            return None
        return 1.0 if self.result is CheckResult.PASSED else 0.0


_new_outcome: Final = object.__new__
_set_result, _set_cause, _set_reason, _set_spans = (
    vars(CheckOutcome)[name].__set__ for name in ("result", "cause", "reason", "spans")
)
