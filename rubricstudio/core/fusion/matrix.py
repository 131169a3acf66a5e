"""A group as a matrix of scores, and what a fusion rule makes of it.

A row is a criterion, a column a response; a missing score is NaN inside and ``None`` at the border.
Every rule takes groups of this form and gives :class:`Fused`, so that methods can be compared on
the same scores.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rubricstudio.core.bradley_terry import Floats, Truths
from rubricstudio.core.errors import GroupError
from rubricstudio.core.rewards.advantages import AdvantageRule, advantages
from rubricstudio.core.rewards.groups import NoReward
from rubricstudio.core.rewards.missing import MissingKind, MissingRule
from rubricstudio.core.types import Json

Numbers = tuple[float | None, ...]


class Edge(NamedTuple):
    """A prerequisite: ``child`` counts as far as ``parent`` is fulfilled."""

    parent: int
    child: int
    kind: str


class Critical(NamedTuple):
    """The quality levels of a critical criterion by response: 0 passes, higher is worse."""

    criterion: int
    levels: Numbers


class PairScore(NamedTuple):
    """A judged comparison on one criterion: above 0 where ``first``, shown first, is better."""

    first: int
    second: int
    criterion: str
    score: float
    tier: str


@dataclass(frozen=True, slots=True, eq=False)
class ScoreMatrix:
    """What is known of a group of ``size`` responses under K criteria.

    ``scores`` is (K, size) and ``weights`` (K,). What only some rules need is absent by default:
    ``overall`` the raw global scores of 0 to 10, ``checks`` the checkers' 1, 0 or NaN (n, size),
    ``attributes`` (size, p), ``lengths`` and ``reference_length`` in sentences. Raises
    :class:`GroupError` for shapes that do not fit and numbers that are infinite.
    """

    size: int
    scores: Floats
    weights: Floats
    overall: Floats | None = None
    checks: Floats | None = None
    buckets: tuple[str, ...] = ()
    essential: tuple[bool, ...] = ()
    edges: tuple[Edge, ...] = ()
    rules: tuple[int, ...] = ()
    critical: tuple[Critical, ...] = ()
    attributes: Floats | None = None
    lengths: Floats | None = None
    reference_length: float | None = None
    comparisons: tuple[PairScore, ...] = ()

    def __post_init__(self) -> None:
        criteria = len(self.weights)
        self._check("scores", self.scores, (criteria, self.size))
        if not np.isfinite(self.weights).all():
            raise GroupError("a weight is not a finite number")
        for name, shape in (("overall", (self.size,)), ("lengths", (self.size,))):
            self._check(name, getattr(self, name), shape)
        if self.checks is not None:
            self._check("checks", self.checks, (len(self.checks), self.size))
        if self.attributes is not None:
            width = self.attributes.shape[1] if self.attributes.ndim == 2 else 0
            self._check("attributes", self.attributes, (self.size, width))
        for name in ("buckets", "essential"):
            given = getattr(self, name)
            if given and len(given) != criteria:
                raise GroupError(f"{name} has {len(given)} entries for {criteria} criteria")
        self._check_places()

    def _check(self, name: str, values: Floats | None, shape: tuple[int, ...]) -> None:
        if values is None:
            return
        if values.shape != shape:
            raise GroupError(
                f"{name} has the shape {values.shape}, and {shape} is needed "
                f"for {self.size} responses"
            )
        if np.isinf(values).any():
            raise GroupError(f"{name} has an infinite number")

    def check_rules(self, among: int, what: str) -> None:
        """Refuse places of rules that are none of so many criteria or checkers."""
        for place in self.rules:
            if not 0 <= place < among:
                raise GroupError(f"there is no {what} {place}; there are {among}")

    def _check_places(self) -> None:
        criteria = len(self.weights)
        named = [one.criterion for one in self.critical]
        named += [place for edge in self.edges for place in (edge.parent, edge.child)]
        for place in named:
            if not 0 <= place < criteria:
                raise GroupError(f"there is no criterion {place}; there are {criteria}")
        for one in self.critical:
            if len(one.levels) != self.size:
                raise GroupError(
                    f"criterion {one.criterion} has {len(one.levels)} levels for "
                    f"{self.size} responses"
                )
        for pair in self.comparisons:
            if not (0 <= pair.first < self.size and 0 <= pair.second < self.size):
                raise GroupError(f"a comparison names the response {max(pair[:2])} of {self.size}")
            if pair.first == pair.second:
                raise GroupError(f"the response {pair.first} is compared with itself")


@dataclass(frozen=True, slots=True)
class Fused:
    """What a rule gives for one group, in the order of its responses and criteria.

    ``rewards`` and ``advantages`` are ``None`` for an unscored response; ``utilities`` is by
    criterion for rules that have them; ``components`` are what the reward was put together from;
    ``flags`` what a reader has to know, always with the coverage.
    """

    rewards: Numbers
    advantages: Numbers
    utilities: tuple[Numbers, ...] | None = None
    components: Mapping[str, Numbers] = field(default_factory=dict)
    flags: Mapping[str, Json] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """The form that the command writes."""
        return {
            "rewards": list(self.rewards),
            "utilities": None if self.utilities is None else [list(row) for row in self.utilities],
            "components": {name: list(values) for name, values in self.components.items()},
            "advantages": list(self.advantages),
            "flags": dict(self.flags),
        }


class Kept(NamedTuple):
    """A group made comparable.

    ``scores`` holds the criteria that count (``criteria``, by place), complete for each response in
    ``members``; ``reasons`` says of every other response why it gets no reward.
    """

    scores: Floats
    weights: Floats
    criteria: NDArray[np.int_]
    members: Truths
    reasons: list[NoReward | None]
    coverage: float
    dropped: list[int]


def keep_comparable(group: ScoreMatrix, rule: MissingRule, *, gates: Sequence[int] = ()) -> Kept:
    """Fix the criteria for all responses of a group, as the rule says (methods, section 0).

    Criteria of weight 0 are left out. A missing score of a gate leaves its response unscored, and
    never passes, unless the rule is ``fail``.
    """
    counted = np.flatnonzero(group.weights)
    scores = group.scores[counted].copy()
    missing: Truths = np.isnan(scores)
    coverage = float(1 - missing.mean()) if missing.size else 1.0
    is_gate = np.isin(counted, gates)
    members = np.ones(group.size, dtype=bool)
    reasons: list[NoReward | None] = [None] * group.size
    keep = np.ones(len(counted), dtype=bool)
    if rule.kind is MissingKind.REJECT and coverage < rule.min_coverage:
        reasons = [NoReward.BELOW_COVERAGE] * group.size
        members[:] = False
    elif rule.kind is MissingKind.FAIL:
        scores[missing] = 0.0
    else:
        strict = rule.kind is MissingKind.UNSCORE_RESPONSE
        lacking: Truths = np.any(missing if strict else missing[is_gate], axis=0)
        members &= ~lacking
        reasons = [NoReward.MISSING_ITEM if lack else None for lack in lacking]
        if not strict:
            keep = is_gate | ~missing.any(axis=1)
    dropped = [int(place) for place in counted[~keep]]
    return Kept(
        scores[keep],
        group.weights[counted][keep],
        counted[keep],
        members,
        reasons,
        coverage,
        dropped,
    )


def finish(
    rewards: Floats,
    kept: Kept,
    rule: AdvantageRule,
    *,
    utilities: tuple[Numbers, ...] | None = None,
    components: Mapping[str, Numbers] | None = None,
    flags: Mapping[str, Json] | None = None,
    given_advantages: Floats | None = None,
) -> Fused:
    """The result of a group from the rewards (size,) of the responses that are kept."""
    values = listed(rewards, kept.members)
    lacking = NoReward.NO_WEIGHT if len(kept.weights) else NoReward.NOTHING_SCORED
    reasons = [
        reason or (lacking if value is None else None)
        for value, reason in zip(values, kept.reasons, strict=True)
    ]
    made = advantages(values, rule)
    gains = made.values
    if given_advantages is not None:
        gains = tuple(
            None if value is None else float(gain)
            for value, gain in zip(values, given_advantages, strict=True)
        )
    told: dict[str, Json] = {
        "coverage": kept.coverage,
        "zero_signal": made.zero_signal,
        "dropped": list(kept.dropped),
    }
    if any(reasons):
        told["unscored"] = {str(at): reason.value for at, reason in enumerate(reasons) if reason}
    if len(values) == 1:
        told["single"] = True
    return Fused(values, gains, utilities, components or {}, {**told, **(flags or {})})


def listed(values: Floats, members: Truths) -> Numbers:
    """Values of all responses, ``None`` where there is none or the response is not kept."""
    return numbers(np.where(members & np.isfinite(values), values, np.nan))


def numbers(values: Floats) -> Numbers:
    """The numbers of an array as a tuple, ``None`` for NaN."""
    listing: list[float] = values.tolist()
    return tuple(None if value != value else value for value in listing)


def only_positive(group: ScoreMatrix, rule: str) -> None:
    """Refuse negative weights for a rule in which they have no meaning."""
    if (group.weights < 0).any():
        raise GroupError(
            f"{rule} takes weights of 0 or more; for points taken away use points or gear"
        )


def weighted_mean_of_rows(scores: Floats, weights: Floats) -> Floats:
    """sum w s / sum w over the rows; NaN without a positive weight."""
    total = weights.sum()
    if total <= 0:
        return np.full(scores.shape[-1], np.nan)
    return np.asarray(weighted_rows(scores, weights) / total)


def weighted_rows(scores: Floats, weights: Floats) -> Floats:
    """sum w s over the rows, row after row: the same bits wherever a response stands.

    A matrix product would add in an order that depends on the shape.
    """
    total = np.zeros(scores.shape[-1])
    for weight, row in zip(weights, scores, strict=True):
        total += weight * row
    return total
