"""OpenRS (paper 004): criterion-wise comparisons become the rewards of a group against an anchor.

One comparison of two responses is a set of criteria, each with a tier and a score from -2 to 2.
The scores are put together here, never by the model; both orders are put together by
:func:`both_orders`; and a group is scored against one of its responses, the anchor, as BRPO does.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NamedTuple

import numpy as np

from rubricstudio.core.bradley_terry import Floats, Truths
from rubricstudio.core.errors import GroupError, SettingsError
from rubricstudio.core.fusion.baselines import Rule
from rubricstudio.core.fusion.matrix import (
    Fused,
    Kept,
    PairScore,
    ScoreMatrix,
    finish,
    listed,
)
from rubricstudio.core.rewards.choices import read_kind, read_number
from rubricstudio.core.rewards.groups import NoReward
from rubricstudio.core.statistics.preferences import OrderRule, Preference, preference_of
from rubricstudio.core.types import Json

CRITICAL: Final = "critical"
TIERS: Final[Mapping[str, float]] = {CRITICAL: 5.0, "core": 5.0, "important": 2.0, "highlight": 1.0}
"""Tier weights; a critical criterion weighs as a core one where nothing is decided by veto."""
BOUND: Final = 2.0
SMALL: Final = 1e-6
DROP_ABOVE: Final = 0.6


class PairRule(StrEnum):
    """How the criteria of one comparison make its score.

    paper: sum w v / sum w. code_veto (the released code): where critical criteria are not all 0,
    the sum of their scores; else sum w v over the weights of those that are not 0. veto_full, ours
    and the default: the critical sum clipped to -2..2 where it is not 0; else sum w v / sum w.
    """

    PAPER = "paper"
    CODE_VETO = "code_veto"
    VETO_FULL = "veto_full"


class Judged(NamedTuple):
    """One criterion of a comparison: its tier's name and its score from -2 to 2."""

    tier: str
    score: float


def pair_score(judged: Sequence[Judged], rule: PairRule = PairRule.VETO_FULL) -> float | None:
    """The score of one comparison; above 0 the first is better. ``None`` without criteria.

    Raises :class:`GroupError` for an unknown tier or a score outside -2 to 2.
    """
    for one in judged:
        if one.tier not in TIERS:
            raise GroupError(f"the tier {one.tier!r:.40} is unknown; known are {', '.join(TIERS)}")
        if not -BOUND <= one.score <= BOUND:
            raise GroupError(f"the score {one.score!r:.20} of a comparison is outside -2 to 2")
    if not judged:
        return None
    weights = np.array([TIERS[one.tier] for one in judged])
    scores = np.array([float(one.score) for one in judged])
    critical = np.array([one.tier == CRITICAL for one in judged])
    if rule is PairRule.PAPER:
        return float(weights @ scores / weights.sum())
    if rule is PairRule.CODE_VETO:
        return _veto_as_released(weights, scores, critical)
    veto = float(scores[critical].sum())
    if veto:
        return float(np.clip(veto, -BOUND, BOUND))
    return float(weights @ scores / weights.sum())


def _veto_as_released(weights: Floats, scores: Floats, critical: Truths) -> float:
    decided = scores != 0
    if (critical & decided).any():
        return float(scores[critical].sum())
    return float(weights[decided] @ scores[decided] / (weights[decided].sum() + SMALL))


class BothOrders(NamedTuple):
    """Two calls put together, from the first response's side."""

    label: Preference
    score: float


def both_orders(
    forward: float,
    backward: float,
    *,
    min_score: float = 0.0,
    rule: OrderRule = OrderRule.STRICT,
) -> BothOrders:
    """The label and score of two calls, each told from the first response's side.

    A call decides where its score is above ``min_score`` or below its negative. The score is the
    mean of both, each clipped to -2..2, where the label is a decision, and 0 for a tie.
    """
    calls = [_beyond(score, min_score) for score in (forward, backward)]
    label = rule.combine(*calls) or Preference.TIE
    mean = float(np.clip([forward, backward], -BOUND, BOUND).mean())
    return BothOrders(label, 0.0 if label is Preference.TIE else mean)


def _beyond(score: float, least: float) -> Preference:
    return preference_of(score if abs(score) > least else 0.0)


def one_against_many(labels: Sequence[Preference]) -> Preference | None:
    """One response against N: a win if it wins all, a loss if it loses any, else a tie."""
    if not labels:
        return None
    if any(label is Preference.LOSE for label in labels):
        return Preference.LOSE
    return Preference.WIN if all(one is Preference.WIN for one in labels) else Preference.TIE


class RewardKind(StrEnum):
    """What a response gets for its comparison with the anchor.

    score: half the combined score, plus the verifiable part (OpenRS; the scale is ours). sign: 1,
    0 or -1. brpo: 1 for a win in both orders, else -1 (Writing-Zero), and nothing verifiable.
    """

    SCORE = "score"
    SIGN = "sign"
    BRPO = "brpo"


@dataclass(frozen=True)
class Pairwise(Rule):
    """Rewards against an anchor.

    ``R_i = s(i, anchor) / 2 + eta (V_i - V_anchor)``, the anchor's being 0, V the share of checkers
    that pass. ``anchor`` is a place, or drawn with ``seed`` among the responses that pass every
    guardrail (``rules``, places of checkers). A response that fails one gets -1 - eta, which no
    other can fall below. ``min_score`` is how far a call has to lean to decide; ``orders`` the rule
    for two orders. A group whose rewards lean by more than ``drop_above`` per response is flagged
    to be dropped. Raises :class:`GroupError` where the comparisons do not reach the anchor.
    """

    rule: PairRule = PairRule.VETO_FULL
    min_score: float = 0.0
    orders: OrderRule = OrderRule.STRICT
    reward: RewardKind = RewardKind.SCORE
    eta: float = 1.0
    anchor: int | None = None
    seed: int = 0
    drop_above: float = DROP_ABOVE

    def __post_init__(self) -> None:
        for name, kinds in (("rule", PairRule), ("orders", OrderRule), ("reward", RewardKind)):
            value = read_kind(f"the setting {name}", kinds, getattr(self, name))
            object.__setattr__(self, name, value)
        for name in ("min_score", "eta", "drop_above"):
            read_number(name, getattr(self, name), least=0)
        if self.anchor is not None and (isinstance(self.anchor, bool) or self.anchor < 0):
            raise SettingsError(f"the anchor is {self.anchor!r:.20}; it has to be a place from 0")

    def fuse(self, groups: Sequence[ScoreMatrix]) -> list[Fused]:
        """One result for each group."""
        return [self._anchored(group, number) for number, group in enumerate(groups)]

    def _anchored(self, group: ScoreMatrix, number: int) -> Fused:
        passed, verifiable = _verifiable(group)
        anchor = self._anchor(group, passed, number)
        compared = [self._against(group, at, anchor) for at in range(group.size)]
        members = np.array([one is not None for one in compared], dtype=bool)
        reasons = [None if member else NoReward.MISSING_ITEM for member in members]
        labels = [Preference.TIE if one is None else one.label for one in compared]
        scores = np.array([np.nan if one is None else one.score for one in compared])
        rewards = self._rewards(scores, labels, verifiable, anchor)
        rewards = np.where(passed, rewards, -1 - self.eta)
        lean = abs(sum(label.sign for label in labels)) / group.size if group.size else 0.0
        cells = Kept(
            group.scores,
            np.ones(1),
            np.zeros(1, int),
            members,
            reasons,
            float(members.mean()) if group.size else 1.0,
            [],
        )
        flags: dict[str, Json] = {
            "anchor": anchor,
            "lean": lean,
            "drop": lean > self.drop_above,
            "guardrail_failed": [int(at) for at in np.flatnonzero(~passed)],
        }
        components = {
            "pairwise": listed(scores, members),
            "verifiable": listed(verifiable, members),
        }
        return finish(rewards, cells, self.advantage, components=components, flags=flags)

    def _anchor(self, group: ScoreMatrix, passed: Truths, number: int) -> int:
        if self.anchor is not None:
            if self.anchor >= group.size:
                raise GroupError(f"the anchor is response {self.anchor} of {group.size}")
            return self.anchor
        candidates = np.flatnonzero(passed) if passed.any() else np.arange(group.size)
        if not len(candidates):
            return 0
        return int(np.random.default_rng([self.seed, number]).choice(candidates))

    def _against(self, group: ScoreMatrix, at: int, anchor: int) -> BothOrders | None:
        """How a response compares with the anchor; ``None`` when it was not compared."""
        if at == anchor:
            return BothOrders(Preference.TIE, 0.0)
        forward = self._call(group.comparisons, at, anchor)
        backward = self._call(group.comparisons, anchor, at)
        if forward is None or backward is None:
            return None
        return both_orders(forward, -backward, min_score=self.min_score, rule=self.orders)

    def _call(self, comparisons: Sequence[PairScore], first: int, second: int) -> float | None:
        judged = [
            Judged(one.tier, one.score)
            for one in comparisons
            if (one.first, one.second) == (first, second)
        ]
        return pair_score(judged, self.rule)

    def _rewards(
        self, scores: Floats, labels: Sequence[Preference], verifiable: Floats, anchor: int
    ) -> Floats:
        if self.reward is RewardKind.SCORE:
            return scores / 2 + self.eta * (verifiable - verifiable[anchor : anchor + 1])
        if self.reward is RewardKind.SIGN:
            return np.array([float(label.sign) for label in labels])
        wins = [1.0 if label is Preference.WIN else -1.0 for label in labels]
        return np.array([0.0 if at == anchor else won for at, won in enumerate(wins)])


def _verifiable(group: ScoreMatrix) -> tuple[Truths, Floats]:
    """Who passes every guardrail, and the share of checkers that each passes.

    Checkers that some response lacks count for nobody; a guardrail that is lacking is not passed.
    """
    group.check_rules(0 if group.checks is None else len(group.checks), "checker")
    if group.checks is None or not len(group.checks):
        return np.ones(group.size, dtype=bool), np.zeros(group.size)
    complete = ~np.isnan(group.checks).any(axis=1)
    share = group.checks[complete].mean(axis=0) if complete.any() else np.zeros(group.size)
    guardrails = group.checks[list(group.rules)] if group.rules else np.ones((0, group.size))
    passed: Truths = np.all(np.greater_equal(guardrails, 1), axis=0)
    return passed, share


def subset_mean(scores: Mapping[str, float]) -> float | None:
    """The plain mean over subsets, as benchmarks report an overall figure; ``None`` without any."""
    return sum(scores.values()) / len(scores) if scores else None
