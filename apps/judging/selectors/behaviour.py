"""How the constraints of one spec behave over the rollouts of its prompt.

The native checkers are asked anew: a version that was saved a moment ago has no check run, and a
thousand responses take less than a second. Code that a model wrote is not run for a page.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from apps.judging.models import CellState, Verdict
from apps.rollouts.models import Rollout
from apps.specs.models import Constraint, Criterion, Spec
from rubricstudio.core.checkers.claims import says_the_same
from rubricstudio.core.checkers.registry import Checklist
from rubricstudio.core.checkers.segmentation import DocumentView
from rubricstudio.core.statistics import Interval, wilson
from rubricstudio.core.types import CheckResult

MOST_ROLLOUTS = 1_000
SHOWN_ROLLOUTS = 8
LEAST_CONSTANT = 5
"""Fewer equal outcomes say nothing of a constraint."""


class Checked(NamedTuple):
    """The outcome of one constraint for one rollout."""

    rollout: int
    number: int
    result: CheckResult
    reason: str


class Difference(NamedTuple):
    """A rollout of which the judge says another thing than the checker."""

    rollout_number: int
    verdict: int


@dataclass(frozen=True)
class Claim:
    """A criterion that says the same as a constraint, and where its verdicts differ from it.

    Only verdicts that are clearly yes or no, of a response that was checked, are `compared`.
    """

    criterion: Criterion
    compared: int
    differ: tuple[Difference, ...]


@dataclass(frozen=True)
class Behaviour:
    """The outcomes of one constraint."""

    row: Constraint
    number: int
    passed: tuple[Checked, ...]
    failed: tuple[Checked, ...]
    unavailable: tuple[Checked, ...]
    claims: tuple[Claim, ...]

    @property
    def answered(self) -> int:
        return len(self.passed) + len(self.failed)

    @property
    def pass_rate(self) -> float | None:
        return len(self.passed) / self.answered if self.answered else None

    @property
    def interval(self) -> Interval:
        """Wilson's, 95 %: rollouts of one prompt count as independent."""
        return wilson(len(self.passed), self.answered)

    @property
    def is_constant(self) -> bool:
        """Whether it tells none of enough rollouts apart."""
        return self.answered >= LEAST_CONSTANT and not (self.passed and self.failed)


class Results(NamedTuple):
    """Every constraint, over `checked` of the `rollouts` of the prompt."""

    behaviours: list[Behaviour]
    checked: int
    rollouts: int


def behaviour_of(spec: Spec) -> Results:
    """What the constraints of a version say of the rollouts of its prompt, the first thousand."""
    rows = list(spec.constraints.all())
    rollouts = Rollout.objects.filter(prompt_revision=spec.prompt_revision_id)
    texts = _texts(rollouts.order_by("number")[:MOST_ROLLOUTS])
    by_row = _outcomes(rows, texts)
    claims = _claims(spec, rows, by_row, {pk: text.number for pk, text in texts.items()})
    return Results(
        [
            _behaviour(row, number, outcomes, claims.get(row.pk, ()))
            for number, (row, outcomes) in enumerate(zip(rows, by_row, strict=True), 1)
        ],
        checked=len(texts),
        rollouts=len(texts) if len(texts) < MOST_ROLLOUTS else rollouts.count(),
    )


class _Text(NamedTuple):
    number: int
    response: str
    truncated: bool


def _texts(rollouts: Any) -> dict[int, _Text]:
    rows = rollouts.values_list("pk", "number", "messages", "truncated")
    return {
        pk: _Text(number, _last_said(messages), truncated)
        for pk, number, messages, truncated in rows.iterator(chunk_size=100)
    }


def _last_said(messages: Sequence[dict[str, Any]]) -> str:
    said = [str(one["content"]) for one in messages if one["role"] == "assistant"]
    return said[-1] if said else ""


def _outcomes(rows: Sequence[Constraint], texts: dict[int, _Text]) -> list[list[Checked]]:
    """A list of outcomes for each constraint, in the order of the rollouts."""
    checklist = Checklist(row.as_value() for row in rows)
    by_row: list[list[Checked]] = [[] for _row in rows]
    for pk, text in texts.items():
        view = DocumentView(text.response, truncated=text.truncated)
        for outcomes, one in zip(by_row, checklist.check(view), strict=True):
            outcomes.append(Checked(pk, text.number, one.result, one.reason))
    return by_row


def _behaviour(
    row: Constraint, number: int, outcomes: Sequence[Checked], claims: Sequence[Claim]
) -> Behaviour:
    by_result: dict[CheckResult, list[Checked]] = defaultdict(list)
    for one in outcomes:
        by_result[one.result].append(one)
    passed, failed, unavailable = (tuple(by_result[one]) for one in CheckResult)
    return Behaviour(row, number, passed, failed, unavailable, tuple(claims))


def _claims(
    spec: Spec,
    rows: Sequence[Constraint],
    by_row: Sequence[Sequence[Checked]],
    numbers: dict[int, int],
) -> dict[int, list[Claim]]:
    """The criteria that say the same as a constraint and have verdicts, by the constraint's key."""
    criteria = list(spec.criteria.all())
    pairs = [
        (row, outcomes, criterion)
        for row, outcomes in zip(rows, by_row, strict=True)
        for criterion in criteria
        if says_the_same(row.as_value(), criterion.text)
    ]
    if not pairs or not numbers:
        return {}
    verdicts = _newest_verdicts(spec, {one.content_sha256 for _row, _some, one in pairs}, numbers)
    found: dict[int, list[Claim]] = defaultdict(list)
    for row, outcomes, criterion in pairs:
        claim = _claim(criterion, outcomes, verdicts.get(criterion.content_sha256, {}))
        if claim.compared:
            found[row.pk].append(claim)
    return found


def _newest_verdicts(
    spec: Spec, contents: set[str], rollouts: dict[int, int]
) -> dict[str, dict[int, Verdict]]:
    """The newest scored verdicts on the same words, by content and rollout, whatever version."""
    rows = Verdict.objects.filter(
        rollout__in=list(rollouts),
        state=CellState.SCORED,
        criterion__content_sha256__in=contents,
        criterion__spec__prompt_revision=spec.prompt_revision_id,
    )
    found: dict[str, dict[int, Verdict]] = defaultdict(dict)
    for one in (
        rows.select_related("criterion")
        .only("rollout_id", "score", "criterion__content_sha256")
        .order_by("run_id", "pk")
    ):
        if one.criterion is not None:
            found[one.criterion.content_sha256][one.rollout_id] = one
    return found


def _claim(
    criterion: Criterion, outcomes: Sequence[Checked], verdicts: dict[int, Verdict]
) -> Claim:
    compared, differ = 0, []
    for one in outcomes:
        verdict = verdicts.get(one.rollout)
        holds = None if verdict is None else _says_yes(criterion, verdict.score)
        if verdict is None or holds is None or one.result is CheckResult.UNAVAILABLE:
            continue
        compared += 1
        if holds != (one.result is CheckResult.PASSED):
            differ.append(Difference(one.number, verdict.pk))
    return Claim(criterion, compared, tuple(differ))


def _says_yes(criterion: Criterion, score: float | None) -> bool | None:
    """Whether the judge finds that it is as it should be; None where the verdict is between."""
    if score not in (criterion.lo, criterion.hi):
        return None
    return (score == criterion.hi) == (criterion.polarity == Criterion.Polarity.POSITIVE)
