"""The table of a group: one row per item, one cell per rollout, every cell in [0, 1] or missing.

An item is a criterion, a checker or the global score. A criterion's score is put on [0, 1] by the
range of its scale and, where its polarity is negative and it does not count in points, turned
round. A score outside the range is missing (off-scale), never rescaled into it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar, Final

from rubricstudio.core.errors import SpecError
from rubricstudio.core.rewards.choices import Choice, read_kind
from rubricstudio.core.rewards.groups import Answers, Component, Group
from rubricstudio.core.rewards.repeats import combine_repeats
from rubricstudio.core.types import (
    CheckCause,
    CheckOutcome,
    Criterion,
    Polarity,
    Scale,
    Verdict,
)

GLOBAL_KEY: Final = "GLOBAL"
GLOBAL_RANGE: Final = (0.0, 10.0)

NEVER_COUNTS: Final = frozenset({CheckCause.REFUSED, CheckCause.QUARANTINED})
"""A checker with such an outcome is out of the spec's n, whatever the rollout says."""

ERRORS: Final = frozenset(
    {
        CheckCause.EXCEPTION,
        CheckCause.TIMEOUT,
        CheckCause.MEMORY,
        CheckCause.CRASH,
        CheckCause.FORGED,
    }
)


class CheckerErrorKind(StrEnum):
    """What a checker's error counts as."""

    UNAVAILABLE = "unavailable"
    FAIL = "fail"


@dataclass(frozen=True)
class CheckerErrorRule(Choice):
    """Whether a checker's error leaves it unavailable, or fails the rollout (paper 000, A.4)."""

    NAME: ClassVar[str] = "checker_error"

    kind: CheckerErrorKind = CheckerErrorKind.UNAVAILABLE

    def __post_init__(self) -> None:
        object.__setattr__(
            self, "kind", read_kind("the kind of checker_error", CheckerErrorKind, self.kind)
        )


@dataclass(slots=True)
class Item:
    """One row of the table.

    ``weight`` is negative for a criterion that takes points away; ``worst`` is the value that
    hurts a rollout most; ``spread`` and ``off_scale`` are by rollout.
    """

    key: str
    component: Component
    weight: float
    worst: float
    cells: list[float | None]
    spread: dict[str, float]
    off_scale: int = 0
    refused: bool = False
    errors_as_fails: int = 0

    @property
    def complete(self) -> bool:
        """Whether every rollout has a value."""
        return None not in self.cells


def check_encoding(criteria: Sequence[Criterion]) -> None:
    """Refuse a rubric whose undesirable things are encoded in two ways, or that compares pairs.

    Negative criteria in points are subtracted, others are turned round: one or the other.
    """
    negative = [one for one in criteria if one.polarity is Polarity.NEGATIVE]
    encodings = {one.scale is Scale.POINTS for one in negative}
    if len(encodings) > 1:
        raise SpecError(
            "the rubric has negative criteria in points and negative criteria on another scale; "
            "put all of them in points, or none"
        )
    for criterion in criteria:
        if criterion.scale is Scale.PAIRWISE:
            raise SpecError(
                f"the criterion {criterion.key!r:.60} compares two rollouts, and this aggregator "
                "reads verdicts about single ones"
            )


def read_items(
    group: Group, components: frozenset[Component], errors: CheckerErrorRule
) -> list[Item]:
    """The rows of a group's table for the components that are asked for."""
    items: list[Item] = []
    if not group.members:
        return items
    if Component.RUBRIC in components:
        check_encoding(group.criteria)
        items += [_criterion_item(group, criterion) for criterion in group.criteria]
    if Component.CODE in components:
        items += [_checker_item(group, key, errors) for key in group.checkers]
    if Component.GLOBAL in components:
        items.append(_global_item(group))
    return items


def _criterion_item(group: Group, criterion: Criterion) -> Item:
    in_points = criterion.scale is Scale.POINTS and criterion.polarity is Polarity.NEGATIVE
    turned = criterion.polarity is Polarity.NEGATIVE and not in_points
    answers = {one.rollout_id: one.verdicts.get(criterion.key) for one in group.members}
    bounds = (criterion.low, criterion.high)
    item = Item(
        key=criterion.key,
        component=Component.RUBRIC,
        weight=-criterion.weight if in_points else criterion.weight,
        worst=1.0 if in_points else 0.0,
        cells=[],
        spread={},
    )
    _fill(item, answers, criterion.scale, bounds)
    if turned:
        item.cells = [None if value is None else 1.0 - value for value in item.cells]
    return item


def _global_item(group: Group) -> Item:
    item = Item(GLOBAL_KEY, Component.GLOBAL, 1.0, 0.0, [], {})
    answers = {member.rollout_id: member.overall for member in group.members}
    _fill(item, answers, Scale.GLOBAL, GLOBAL_RANGE)
    return item


def _fill(
    item: Item,
    answers: Mapping[str, Answers | None],
    scale: Scale,
    bounds: tuple[float, float],
) -> None:
    """Write the cells of a judged item, from verdicts to values in [0, 1]."""
    low, high = bounds
    for rollout_id, given in answers.items():
        # One verdict of a single sample is that verdict, and nearly all of them are.
        one = given[0] if isinstance(given, tuple) and len(given) == 1 else given
        if isinstance(one, Verdict):
            score = one.score
        else:
            score = _combined(item, rollout_id, one or (), scale, bounds)
        if score is not None and not low <= score <= high:
            item.off_scale += 1
            score = None
        item.cells.append(None if score is None else (score - low) / (high - low))


def _combined(
    item: Item,
    rollout_id: str,
    verdicts: tuple[Verdict, ...],
    scale: Scale,
    bounds: tuple[float, float],
) -> float | None:
    """The score of several verdicts, of those that lie on the scale; the spread is noted."""
    low, high = bounds
    on_scale = [one for one in verdicts if one.score is None or low <= one.score <= high]
    item.off_scale += len(verdicts) - len(on_scale)
    verdict, spread = combine_repeats(on_scale, scale)
    if spread is not None:
        item.spread[rollout_id] = spread
    return verdict.score


def _checker_item(group: Group, key: str, errors: CheckerErrorRule) -> Item:
    outcomes = [member.checks.get(key) for member in group.members]
    item = Item(key, Component.CODE, 1.0, 0.0, [], {})
    item.refused = any(one is not None and one.cause in NEVER_COUNTS for one in outcomes)
    for outcome in outcomes:
        failed = errors.kind is CheckerErrorKind.FAIL and _is_error(outcome)
        item.errors_as_fails += failed
        item.cells.append(0.0 if failed else outcome.score if outcome else None)
    return item


def _is_error(outcome: CheckOutcome | None) -> bool:
    return outcome is not None and outcome.cause in ERRORS
