"""One question over all its attempts: the only place where anything is asked again.

A transient failure is tried again after a wait that doubles, with chance in it, and never before
the server's Retry-After. A cut answer gets more room once. An unusable answer is asked again a few
times. Whatever comes after that is the answer: unscored with its reason, or failed with its cause.
"""

import asyncio
import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final, TypeVar

from rubricstudio.core.parsing import Parsed
from rubricstudio.core.types import FailureCause, UnscoredReason
from rubricstudio.llm.client import Asked, CallRecord, Limiter, ModelSettings, RetryRule
from rubricstudio.llm.errors import EndpointBusy, EndpointError, GivenUp, RequestRefused
from rubricstudio.llm.leaving import WayOut
from rubricstudio.llm.questions import Question
from rubricstudio.llm.replies import Completion, read_completion
from rubricstudio.llm.requests import Request, build_request
from rubricstudio.llm.shapes import OneOf
from rubricstudio.llm.transport import CHAT, Transport

T = TypeVar("T")

OVERLOAD: Final = (429, 503)
FINAL_REASONS: Final = frozenset({UnscoredReason.CONTENT_FILTER, UnscoredReason.REFUSED})
GIVEN_UP: Final[dict[str, Any]] = {
    "cause": FailureCause.CANCELLED,
    "error": "given up before an answer came",
}
"""What a record says of an attempt that was cut short."""
STOP_LOOK: Final = 0.5
"""Seconds between two looks at whether to stop, while waiting to ask again."""


def never() -> bool:
    """The stop predicate of those who never stop."""
    return False


@dataclass(frozen=True, slots=True)
class Means:
    """What asking takes: the settings, the way to the server, its slots, and when to give up."""

    settings: ModelSettings
    transport: Transport
    limiter: Limiter
    stop: Callable[[], bool] = never
    way_out: WayOut = field(default_factory=WayOut)


@dataclass(slots=True)
class Course:
    """How far one question has come, measured against the rule for retries."""

    rule: RetryRule
    until: float | None = None
    busy: int = 0
    reparses: int = 0
    growth: int = 1
    calls: list[CallRecord] = field(default_factory=list)

    @property
    def left(self) -> float:
        """Seconds until the deadline, which runs from the first attempt's slot on."""
        if self.until is None:
            self.until = time.monotonic() + self.rule.deadline
        return max(0.0, self.until - time.monotonic())

    def wait_after(self, error: EndpointBusy) -> float | None:
        """Seconds to wait before the next attempt; ``None`` when there is to be none."""
        self.busy += 1
        if self.busy >= self.rule.attempts:
            return None
        longest = min(self.rule.longest_delay, self.rule.first_delay * 2 ** (self.busy - 1))
        chance = random.uniform(longest / 2, longest)  # noqa: S311 - a wait, not a secret
        delay = max(error.retry_after or 0.0, chance)
        return delay if delay < self.left else None

    def asks_again(self, reason: UnscoredReason) -> bool:
        """Whether an unusable answer is worth another attempt, with more room where it was cut."""
        if reason in FINAL_REASONS or not self.left:
            return False
        if reason is UnscoredReason.TRUNCATED:
            cut_before, self.growth = self.growth > 1, self.rule.growth
            return not cut_before
        self.reparses += 1
        return self.reparses <= self.rule.reparses


async def ask(question: Question[T], *, means: Means) -> Asked[T]:
    """Ask until there is an answer or nothing more to try.

    When ``means.stop`` turns true no further attempt is made, and a question that would have been
    asked again comes back failed with the cause cancelled; so does one that is given up by
    ``means.way_out``. Whatever comes back holds every attempt that was made.
    """
    course = Course(means.settings.retry)
    outcome: Parsed[T] | EndpointError
    try:
        with means.way_out.around_question():
            outcome = await _outcome(question, course, means)
    except GivenUp:
        outcome = EndpointError("the question was given up", cause=FailureCause.CANCELLED)
    return _result(outcome, course)


async def _outcome(
    question: Question[T], course: Course, means: Means
) -> Parsed[T] | EndpointError:
    """What came of the last attempt that was worth making."""
    cut: Parsed[T] | None = None
    while True:
        outcome = await _attempt(question, course, means)
        if cut is not None and isinstance(outcome, RequestRefused):
            # More room than this server has: the answer stays the one that was cut.
            outcome = cut
        if isinstance(outcome, EndpointError):
            again = await _waited(outcome, course, means)
        else:
            again = outcome.reason is not None and course.asks_again(outcome.reason)
            cut = outcome if outcome.reason is UnscoredReason.TRUNCATED else cut
        if not again:
            return outcome
        if means.stop():
            raise GivenUp


def _result(outcome: Parsed[T] | EndpointError, course: Course) -> Asked[T]:
    calls = tuple(course.calls)
    if isinstance(outcome, EndpointError):
        return Asked(failure=outcome.cause, detail=str(outcome), calls=calls)
    return Asked(
        value=outcome.value,
        unscored=outcome.reason,
        detail=outcome.detail,
        flags=outcome.flags,
        calls=calls,
    )


async def _waited(error: EndpointError, course: Course, means: Means) -> bool:
    """Wait until the question may be asked again; false where it may not."""
    if not isinstance(error, EndpointBusy):
        return False
    if error.status in OVERLOAD:
        means.limiter.slow_down(error.retry_after or 0.0)
    delay = course.wait_after(error)
    if delay is None:
        return False
    until = time.monotonic() + delay
    while (left := until - time.monotonic()) > 0 and not means.stop():
        await asyncio.sleep(min(left, STOP_LOOK))
    return True


async def _attempt(
    question: Question[T], course: Course, means: Means
) -> Parsed[T] | EndpointError:
    """Send one request and read its answer; its record joins the course, come what may."""
    request = build_request(means.settings, question, reparse=course.reparses, growth=course.growth)
    await means.way_out.wait_for_slot(means.limiter)
    started_at, start = datetime.now(UTC), time.perf_counter()
    told = GIVEN_UP
    outcome: Parsed[T] | EndpointError
    try:
        completion = await _completion(question, request, course.left, means)
    except EndpointError as error:
        told, outcome = _told_by_error(error), error
    else:
        told, outcome = _told(completion), question.parse(completion.reply)
    finally:
        means.limiter.release()
        course.calls.append(
            CallRecord(
                template_name=question.template.name,
                template_sha256=question.template.sha256,
                slots=question.slots,
                nonce=question.nonce,
                body=request.body,
                request_sha256=request.sha256,
                attempt=len(course.calls) + 1,
                started_at=started_at,
                latency_ms=(time.perf_counter() - start) * 1000,
                **told,
            )
        )
    return outcome


async def _completion(
    question: Question[T], request: Request, seconds: float, means: Means
) -> Completion:
    answer = await means.transport.post(CHAT, request.content, seconds=seconds)
    answers = question.shape.answers if isinstance(question.shape, OneOf) else ()
    return read_completion(answer.data, answers=answers, status=answer.status)


def _told_by_error(error: EndpointError) -> dict[str, Any]:
    """What a failed attempt adds to a record."""
    return {"http_status": error.status, "cause": error.cause, "error": str(error)}


def _told(completion: Completion) -> dict[str, Any]:
    """What an answer adds to a record."""
    return {
        "content": completion.reply.content,
        "reasoning": completion.reply.reasoning,
        "finish_reason": completion.reply.finish_reason,
        "refusal": completion.reply.refusal,
        "http_status": completion.status,
        "served_model": completion.served_model,
        "prompt_tokens": completion.prompt_tokens,
        "completion_tokens": completion.completion_tokens,
        "cached_tokens": completion.cached_tokens,
        "reasoning_tokens": completion.reasoning_tokens,
    }
