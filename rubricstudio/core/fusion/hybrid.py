"""The hybrid reward of paper 000 on a matrix of scores; :mod:`rewards.hybrid` has the formulas."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from rubricstudio.core.bradley_terry import Floats
from rubricstudio.core.fusion.baselines import PerGroup, points_of_rows
from rubricstudio.core.fusion.matrix import (
    Fused,
    Kept,
    ScoreMatrix,
    finish,
    keep_comparable,
    listed,
)
from rubricstudio.core.rewards.alpha import AlphaSchedule
from rubricstudio.core.rewards.choices import read_kind
from rubricstudio.core.rewards.groups import Component
from rubricstudio.core.rewards.hybrid import combine, global_score
from rubricstudio.core.rewards.hybrid_settings import Variant


@dataclass(frozen=True)
class MatrixHybrid(PerGroup):
    """R = sum q s / sum q over the components that every response of the group has.

    Rubric and code have the coefficient 1, the global score alpha. The global scores and checkers
    are cells of the group like the criteria: the rule for missing ones holds for them too.
    """

    alpha: AlphaSchedule = field(default_factory=AlphaSchedule)
    components: Variant = Variant.RGC
    step: int | None = None

    def __post_init__(self) -> None:
        variant = read_kind("the setting components", Variant, self.components)
        object.__setattr__(self, "components", variant)

    def _one(self, group: ScoreMatrix) -> Fused:
        alpha = self.alpha.at(self.step)
        kept, owners = self._cells(group)
        parts = {
            component: _part(component, kept, owners) for component in self.components.components
        }
        rewards = np.array(
            [
                _or_nan(combine({one: _at(values, at) for one, values in parts.items()}, alpha))
                for at in range(group.size)
            ]
        )
        components = {
            one.value: listed(values, kept.members)
            for one, values in sorted(parts.items())
            if values is not None
        }
        return finish(rewards, kept, self.advantage, components=components, flags={"alpha": alpha})

    def _cells(self, group: ScoreMatrix) -> tuple[Kept, list[Component]]:
        """Every cell of the components asked for as one matrix, made comparable at once."""
        rows: list[Floats] = []
        weights: list[float] = []
        owners: list[Component] = []
        asked = self.components.components
        if Component.RUBRIC in asked:
            rows.extend(group.scores)
            weights.extend(group.weights)
            owners.extend([Component.RUBRIC] * len(group.scores))
        if Component.CODE in asked and group.checks is not None:
            rows.extend(group.checks)
            weights.extend([1.0] * len(group.checks))
            owners.extend([Component.CODE] * len(group.checks))
        if Component.GLOBAL in asked and group.overall is not None:
            rows.append(group.overall)
            weights.append(1.0)
            owners.append(Component.GLOBAL)
        table = np.array(rows).reshape(len(rows), group.size)
        kept = keep_comparable(
            ScoreMatrix(group.size, table, np.array(weights, dtype=float)), self.missing
        )
        return kept, [owners[place] for place in kept.criteria]


def _part(component: Component, kept: Kept, owners: Sequence[Component]) -> Floats | None:
    rows = [at for at, owner in enumerate(owners) if owner is component]
    if not rows:
        return None
    scores = kept.scores[rows]
    if component is Component.GLOBAL:
        return np.array([_or_nan(None if np.isnan(g) else global_score(g)) for g in scores[0]])
    if component is Component.CODE:
        passed: Floats = scores.mean(axis=0)
        return passed
    weights = kept.weights[rows]
    share = points_of_rows(scores, weights)
    return np.asarray(np.clip(share, 0, 1)) if (weights < 0).any() else share


def _at(values: Floats | None, at: int) -> float | None:
    return None if values is None or np.isnan(values[at]) else float(values[at])


def _or_nan(value: float | None) -> float:
    return np.nan if value is None else value
