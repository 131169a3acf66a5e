"""The baselines that stand beside the papers' own methods, one class each.

Paper 003, section 4.1 and appendix C name them; where their formula is not public the choice is
ours and says so.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from rubricstudio.core.bradley_terry import Floats
from rubricstudio.core.errors import GroupError
from rubricstudio.core.fusion.matrix import (
    Fused,
    Kept,
    ScoreMatrix,
    finish,
    keep_comparable,
    only_positive,
    weighted_mean_of_rows,
    weighted_rows,
)
from rubricstudio.core.rewards.advantages import AdvantageKind, AdvantageRule
from rubricstudio.core.rewards.choices import read_number
from rubricstudio.core.rewards.missing import MissingRule

EPS: Final = 1e-4
"""Added to a deviation before dividing by it, as TRL does."""


@dataclass(frozen=True)
class Rule(ABC):
    """What every rule has: what a missing score does, and how advantages are made."""

    missing: MissingRule = field(default_factory=MissingRule)
    advantage: AdvantageRule = field(default_factory=lambda: AdvantageRule(AdvantageKind.PLAIN))

    @abstractmethod
    def fuse(self, groups: Sequence[ScoreMatrix]) -> list[Fused]:
        """One result for each group, in order; the groups are one batch.

        Raises :class:`GroupError` for a group that the rule cannot read.
        """


class PerGroup(Rule):
    """A rule for which no group needs another."""

    def fuse(self, groups: Sequence[ScoreMatrix]) -> list[Fused]:
        """One result for each group, in order."""
        return [self._one(group) for group in groups]

    @abstractmethod
    def _one(self, group: ScoreMatrix) -> Fused: ...


@dataclass(frozen=True)
class WeightedSum(PerGroup):
    """r = sum w s / sum w."""

    def _one(self, group: ScoreMatrix) -> Fused:
        only_positive(group, "a weighted sum")
        kept = keep_comparable(group, self.missing)
        return finish(weighted_mean_of_rows(kept.scores, kept.weights), kept, self.advantage)


@dataclass(frozen=True)
class Uniform(PerGroup):
    """r = mean s: every criterion with a weight counts the same."""

    def _one(self, group: ScoreMatrix) -> Fused:
        only_positive(group, "a uniform sum")
        kept = keep_comparable(group, self.missing)
        equal = np.ones_like(kept.weights)
        return finish(weighted_mean_of_rows(kept.scores, equal), kept, self.advantage)


@dataclass(frozen=True)
class Points(PerGroup):
    """r = clip(sum w s / sum of positive w, 0, 1): signed points, as HealthBench counts them."""

    clip: bool = True

    def _one(self, group: ScoreMatrix) -> Fused:
        kept = keep_comparable(group, self.missing)
        rewards = points_of_rows(kept.scores, kept.weights)
        return finish(np.clip(rewards, 0, 1) if self.clip else rewards, kept, self.advantage)


def points_of_rows(scores: Floats, weights: Floats) -> Floats:
    """sum w s / sum of positive w over the rows; NaN where no point can be earned."""
    possible = weights[weights > 0].sum()
    if possible <= 0:
        return np.full(scores.shape[-1], np.nan)
    return np.asarray(weighted_rows(scores, weights) / possible)


@dataclass(frozen=True)
class Gated(PerGroup):
    """r = product over rules of 1[rule passes] x weighted sum of the other criteria.

    A rule passes from ``pass_at`` on. A response whose rule has no score is unscored.
    """

    pass_at: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "pass_at", read_number("pass_at", self.pass_at, least=0))

    def _one(self, group: ScoreMatrix) -> Fused:
        only_positive(group, "a gated sum")
        if not group.rules:
            raise GroupError("a gated sum needs the places of its rules")
        group.check_rules(len(group.weights), "criterion")
        kept = keep_comparable(group, self.missing, gates=group.rules)
        is_rule = np.isin(kept.criteria, group.rules)
        passed = (kept.scores[is_rule] >= self.pass_at).all(axis=0)
        rest = weighted_mean_of_rows(kept.scores[~is_rule], kept.weights[~is_rule])
        stopped = [int(at) for at in np.flatnonzero(kept.members & ~passed)]
        return finish(passed * rest, kept, self.advantage, flags={"gated": stopped})


def _by_member(kept: Kept, rule: Callable[[Floats], Floats]) -> Floats:
    """Apply a rule over the responses that are kept, and put its result back in their places."""
    result = np.full((len(kept.scores), len(kept.members)), np.nan)
    if kept.members.any():
        result[:, kept.members] = rule(kept.scores[:, kept.members])
    return result


def z_scores(scores: Floats) -> Floats:
    """(s - mean) / (std + 1e-4) of each row, with the sample deviation; 0 for a single response."""
    if scores.shape[-1] < 2:
        return np.zeros(scores.shape)
    centred = scores - scores.mean(axis=-1, keepdims=True)
    result: Floats = centred / (scores.std(axis=-1, ddof=1, keepdims=True) + EPS)
    return result


@dataclass(frozen=True)
class ZScore(PerGroup):
    """r = sum w z / sum w, z the scores of a criterion standardised within the group."""

    def _one(self, group: ScoreMatrix) -> Fused:
        only_positive(group, "a z-score fusion")
        kept = keep_comparable(group, self.missing)
        scaled = _by_member(kept, z_scores)
        return finish(weighted_mean_of_rows(scaled, kept.weights), kept, self.advantage)


@dataclass(frozen=True)
class Gdpo(Rule):
    """GDPO: criteria standardised within groups, summed, then standardised over the batch.

    pre = sum w z (weights as they are); advantage = (pre - mean) / (std + 1e-4) over all responses
    of the batch, with the sample deviation. The reward is ``pre``. A batch of one response has
    advantage 0.
    """

    def fuse(self, groups: Sequence[ScoreMatrix]) -> list[Fused]:
        """One result for each group; the advantages need all groups of the batch."""
        made = [self._sums(group) for group in groups]
        everyone = [sums[kept.members] for kept, sums in made]
        pool = np.concatenate(everyone) if everyone else np.zeros(0)
        pool = pool[np.isfinite(pool)]
        mean = pool.mean() if len(pool) else 0.0
        spread = pool.std(ddof=1) + EPS if len(pool) > 1 else 1.0
        return [
            finish(sums, kept, self.advantage, given_advantages=(sums - mean) / spread)
            for kept, sums in made
        ]

    def _sums(self, group: ScoreMatrix) -> tuple[Kept, Floats]:
        only_positive(group, "GDPO")
        kept = keep_comparable(group, self.missing)
        if not len(kept.weights):
            return kept, np.full(group.size, np.nan)
        return kept, weighted_rows(_by_member(kept, z_scores), kept.weights)


@dataclass(frozen=True)
class Focal(PerGroup):
    """Focal-style: criteria with headroom weigh more.

    w' = w (1 - saturation)^gamma rescaled to the sum of w, saturation the group's mean score;
    r = sum w' s / sum w. Where all are saturated the weights stay. The paper's own projection is
    not public: this form is ours.
    """

    gamma: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "gamma", read_number("gamma", self.gamma, least=0))

    def _one(self, group: ScoreMatrix) -> Fused:
        only_positive(group, "a Focal-style sum")
        kept = keep_comparable(group, self.missing)
        weights = kept.weights
        if kept.members.any() and len(weights):
            scores = kept.scores[:, kept.members]
            if scores.min() < 0 or scores.max() > 1:
                raise GroupError("a Focal-style sum takes scores from 0 to 1")
            tilted = weights * (1 - scores.mean(axis=1)) ** self.gamma
            if tilted.sum() > 0:
                weights = tilted * (weights.sum() / tilted.sum())
        rewards = weighted_mean_of_rows(kept.scores, weights)
        told = {"weights": [float(weight) for weight in weights]}
        return finish(rewards, kept, self.advantage, flags={**told})
