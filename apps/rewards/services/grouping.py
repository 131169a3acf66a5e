"""From stored evidence to a group of the core, under the spec as it is now.

A verdict speaks for the criterion that was judged. Where the newest spec has no criterion with the
same key and the same content, the verdict is stale: it does not count, and neither does the outcome
of a checker that the newest spec does not have. Weights, polarities and buckets act afterwards and
are taken from the newest spec.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from apps.rewards.selectors import Evidence, OutcomeRow, VerdictRow
from rubricstudio.core.rewards import Group, Member
from rubricstudio.core.rewards.groups import Answers
from rubricstudio.core.types import (
    CheckCause,
    CheckOutcome,
    CheckResult,
    FailureCause,
    SpecValue,
    UnscoredReason,
    Verdict,
    VerdictState,
)

VALUES_KEPT = 4096
Contents = Mapping[str, str]
"""By key of a criterion or checker, the hash of what is asked now."""


@dataclass(frozen=True, slots=True)
class Gathered:
    """A group of the core; `seen` verdicts and outcomes were there, `stale` ones do not count."""

    group: Group
    seen: int
    stale: int


def checker_keys(spec: SpecValue) -> tuple[str, ...]:
    """A key per checker of a spec: its place and type, since equal constraints may stand twice."""
    return tuple(f"{at}:{one.type}" for at, one in enumerate(spec.constraints, start=1))


def gather(evidence: Evidence, spec: SpecValue, *, judge: str) -> Gathered:
    """The group that an aggregator takes. `judge` is the identity of who judged all of it."""
    criteria, checkers = contents_of(spec)
    members = [
        _member(
            rollout_id,
            judge,
            verdicts=_current(evidence.verdicts.get(rollout_id, ()), criteria),
            checks=_checks(evidence.outcomes.get(rollout_id, ()), checkers),
        )
        for rollout_id, _step in evidence.members
    ]
    asked = set(checkers.values())
    rows = [row for some in evidence.verdicts.values() for row in some]
    outcomes = [row for some in evidence.outcomes.values() for row in some]
    stale = sum(not _is_current(row, criteria) for row in rows)
    stale += sum(row.content not in asked for row in outcomes)
    group = Group(spec.criteria, tuple(checkers), tuple(members))
    return Gathered(group, seen=len(rows) + len(outcomes), stale=stale)


def step_of(evidence: Evidence) -> int | None:
    """The step that all members of a group share, if they do."""
    steps = {step for _rollout, step in evidence.members}
    return steps.pop() if len(steps) == 1 else None


@lru_cache(maxsize=VALUES_KEPT)
def contents_of(spec: SpecValue) -> tuple[Contents, Contents]:
    """What is asked now, of criteria and of checkers, each by key."""
    criteria = {one.key: one.content_hash() for one in spec.criteria}
    hashes = [one.content_hash() for one in spec.constraints]
    return criteria, dict(zip(checker_keys(spec), hashes, strict=True))


def _is_current(row: VerdictRow, criteria: Contents) -> bool:
    """The global score is about the whole response, so no edit of a spec makes it stale."""
    return row.key is None or criteria.get(row.key) == row.content


def _current(rows: Sequence[VerdictRow], criteria: Contents) -> dict[str | None, Answers]:
    """The samples of each question that still counts, in order; None is the global score."""
    answers: dict[str | None, tuple[Verdict, ...]] = {}
    for row in rows:
        if _is_current(row, criteria):
            value = verdict_value(row.state, row.reason, row.answer, row.score)
            answers[row.key] = (*answers.get(row.key, ()), value)
    return {**answers}


def _checks(rows: Sequence[OutcomeRow], checkers: Contents) -> dict[str, CheckOutcome]:
    said = {row.content: outcome_value(row.result, row.cause) for row in rows}
    return {key: said[content] for key, content in checkers.items() if content in said}


def _member(
    rollout_id: int,
    judge: str,
    *,
    verdicts: dict[str | None, Answers],
    checks: dict[str, CheckOutcome],
) -> Member:
    overall = verdicts.pop(None, None)
    named = {key: value for key, value in verdicts.items() if key is not None}
    return Member(str(rollout_id), named, checks, overall, judge)


@lru_cache(maxsize=VALUES_KEPT)
def verdict_value(state: str, reason: str, answer: str, score: float | None) -> Verdict:
    """A stored verdict as a value of the core."""
    if state == VerdictState.SCORED and score is not None:
        return Verdict.scored(answer, score)
    if state == VerdictState.UNSCORED:
        return Verdict.unscored(UnscoredReason(reason), answer)
    return Verdict.failed(FailureCause(reason))


@lru_cache(maxsize=VALUES_KEPT)
def outcome_value(result: str, cause: str) -> CheckOutcome:
    """A stored outcome as a value of the core; its reason and spans do not decide a reward."""
    return CheckOutcome(CheckResult(result), CheckCause(cause), "")
