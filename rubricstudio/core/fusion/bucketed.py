"""Bucketed rubrics (paper 002, section 3): coefficients by bucket, and a length penalty.

With ``S_b = sum w I`` and ``W_b = sum w`` over the items of a bucket ::

    R = sum a_b S_b / sum a_b W_b

A bucket is not normalised, so one with more or heavier items weighs more than a_b says: its
effective share is a_b W_b / sum a W. Essential and optional differ in nothing but which items are
taken in.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from rubricstudio.core.bradley_terry import Floats
from rubricstudio.core.errors import GroupError, SettingsError
from rubricstudio.core.fusion.baselines import PerGroup
from rubricstudio.core.fusion.matrix import (
    Fused,
    Kept,
    Numbers,
    ScoreMatrix,
    finish,
    keep_comparable,
    listed,
    only_positive,
    weighted_mean_of_rows,
)
from rubricstudio.core.rewards.choices import read_number
from rubricstudio.core.types import Json

COEFFICIENTS: Final[Mapping[str, float]] = {
    "composition": 0.5,
    "accuracy": 0.3,
    "safety": 0.1,
    "general": 0.1,
}


def length_penalty(ratio: float) -> float:
    """The penalty of a response ``ratio`` times as long as the reference (paper 002).

    0 up to 1.4, then 0.1 for each unit up to 1.8, then 0.08 for each up to 2.8, where it stays at
    0.12. ``ratio`` counts sentences and is 0 or more.
    """
    gentle = 0.1 * (min(ratio, 1.8) - 1.4)
    steep = 0.08 * min(ratio - 1.8, 1.0)
    return max(gentle, 0.0) + max(steep, 0.0)


@dataclass(frozen=True)
class Bucketed(PerGroup):
    """The bucketed reward.

    ``coefficients`` are a_b >= 0 by bucket, not all 0. ``essential_only`` takes in the essential
    items alone. ``bucket_norm``, ours, weighs the means S_b / W_b by a_b instead.
    ``length_penalty`` takes :func:`length_penalty` off, down to 0 at least.
    """

    coefficients: Mapping[str, float] = field(default_factory=lambda: dict(COEFFICIENTS))
    bucket_norm: bool = False
    essential_only: bool = False
    length_penalty: bool = False

    def __post_init__(self) -> None:
        read = {
            name: read_number(f"the coefficient of {name}", value, least=0)
            for name, value in self.coefficients.items()
        }
        if not any(read.values()):
            raise SettingsError("every coefficient is 0; at least one bucket has to count")
        object.__setattr__(self, "coefficients", read)

    def _one(self, group: ScoreMatrix) -> Fused:
        only_positive(group, "the bucketed reward")
        self._check_buckets(group)
        kept = keep_comparable(group, self.missing)
        taken = np.array(
            [not self.essential_only or group.essential[place] for place in kept.criteria], bool
        )
        by_bucket = {
            name: [at for at in np.flatnonzero(taken) if group.buckets[kept.criteria[at]] == name]
            for name in self.coefficients
        }
        filled = {name: rows for name, rows in by_bucket.items() if rows}
        means = {
            name: weighted_mean_of_rows(kept.scores[rows], kept.weights[rows])
            for name, rows in filled.items()
        }
        shares = self._shares(
            {name: float(kept.weights[rows].sum()) for name, rows in filled.items()}
        )
        rewards = np.full(group.size, np.nan)
        if shares:
            rewards = np.sum([shares[name] * means[name] for name in shares], axis=0)
        return self._penalised(group, kept, rewards, means, shares)

    def _check_buckets(self, group: ScoreMatrix) -> None:
        if not group.buckets:
            raise GroupError("the bucketed reward needs the bucket of every criterion")
        strange = sorted(set(group.buckets) - set(self.coefficients))
        if strange:
            raise GroupError(
                f"the bucket {strange[0]!r:.40} has no coefficient; "
                f"there are {', '.join(self.coefficients)}"
            )
        if self.essential_only and not group.essential:
            raise GroupError("essential_only needs to know which criteria are essential")

    def _shares(self, weights: Mapping[str, float]) -> dict[str, float]:
        """How much of the reward each bucket is: the effective shares, which sum to 1."""
        parts = {
            name: self.coefficients[name] * (1.0 if self.bucket_norm else weight)
            for name, weight in weights.items()
        }
        total = sum(parts.values())
        return {name: part / total for name, part in parts.items()} if total > 0 else {}

    def _penalised(
        self,
        group: ScoreMatrix,
        kept: Kept,
        rewards: Floats,
        means: Mapping[str, Floats],
        shares: Mapping[str, float],
    ) -> Fused:
        components: dict[str, Numbers] = {
            name: listed(values, kept.members) for name, values in means.items()
        }
        flags: dict[str, Json] = {"effective_shares": dict(shares)}
        if self.length_penalty:
            penalties, told = _penalties(group)
            components["penalty"] = listed(penalties, kept.members)
            rewards = np.maximum(0.0, rewards - penalties)
            flags.update(told)
        return finish(rewards, kept, self.advantage, components=components, flags=flags)


def _penalties(group: ScoreMatrix) -> tuple[Floats, dict[str, Json]]:
    """The penalty of each response, and what has to be said about it.

    Without a reference, or where the sentences could not be counted, there is none.
    """
    if not group.reference_length or group.lengths is None:
        return np.zeros(group.size), {"no_reference": True}
    ratios = group.lengths / group.reference_length
    penalties = np.array([0.0 if np.isnan(one) else length_penalty(float(one)) for one in ratios])
    flags: dict[str, Json] = {}
    uncounted = [int(at) for at in np.flatnonzero(np.isnan(ratios))]
    empty = [int(at) for at in np.flatnonzero(group.lengths == 0)]
    if uncounted:
        flags["length_unknown"] = list(uncounted)
    if empty:
        flags["empty_response"] = list(empty)
    return penalties, flags
