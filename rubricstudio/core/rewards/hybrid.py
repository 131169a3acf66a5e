"""Hybrid pointwise reward: rubric, global judgement and code checkers.

Paper 000, section 3.3. With ``s_r``, ``s_g`` and ``s_c`` in [0, 1]::

    s_r = sum w_i v_i / sum w_i      v = 1, 0.5, 0 for yes, part, no     (equation 2)
    s_g = clip(g / 10, 0, 1)
    s_c = (1 / n) sum b_j            only with n > 0 checkers            (equation 3)
    R   = (s_r + s_c + alpha s_g) / (2 + alpha)   with checkers          (equation 4)
    R   = (s_r +       alpha s_g) / (1 + alpha)   without

The general form, which the variants of the paper's ablation need: R is the mean of the components
that are asked for and that every rollout of the group has, weighted 1, 1 and alpha.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from rubricstudio.core.errors import CoreError
from rubricstudio.core.rewards.cells import Item, check_encoding, read_items
from rubricstudio.core.rewards.groups import Component, Group, GroupRewards, NoReward
from rubricstudio.core.rewards.hybrid_settings import NAME, HybridSettings
from rubricstudio.core.rewards.missing import make_comparable
from rubricstudio.core.rewards.results import Parts, Scored, assemble
from rubricstudio.core.types import Criterion, Json, Polarity, Scale, SpecValue


def weighted_mean(weights: Sequence[float], values: Sequence[float]) -> float | None:
    """``sum w v / sum w`` (equation 2); ``None`` without a positive weight."""
    return points_share(weights, values, clip=False)


def points_share(
    weights: Sequence[float], values: Sequence[float], *, clip: bool = True
) -> float | None:
    """Points earned over points that can be earned: ``sum w v / sum of positive w``.

    A negative weight takes points away where its value is 1. ``clip`` keeps the share in [0, 1].
    ``None`` when no point can be earned.
    """
    possible = math.fsum(weight for weight in weights if weight > 0)
    if possible <= 0:
        return None
    products = (weight * value for weight, value in zip(weights, values, strict=True))
    share = math.fsum(products) / possible
    return min(max(share, 0.0), 1.0) if clip else share


def global_score(raw: float) -> float:
    """``clip(g / 10, 0, 1)`` of a raw global score."""
    return min(max(raw / 10.0, 0.0), 1.0)


def code_score(outcomes: Sequence[float]) -> float | None:
    """Share of checkers that passed (equation 3), each 1 or 0; ``None`` when there are none."""
    return math.fsum(outcomes) / len(outcomes) if outcomes else None


class Taking(NamedTuple):
    """A component that takes part, with its coefficient and its score."""

    component: Component
    coefficient: float
    score: float


def combine(components: Mapping[Component, float | None], alpha: float) -> float | None:
    """``sum q s / sum q`` with q = 1 for rubric and code, ``alpha`` for the global score.

    Components that are ``None`` take no part (equation 4 where all, or all but code, are there).
    ``None`` when nothing with a positive coefficient is left.
    """
    present = _present(components, alpha)
    total = math.fsum(one.coefficient for one in present)
    if total <= 0:
        return None
    return math.fsum(one.coefficient * one.score for one in present) / total


def contributions(
    components: Mapping[Component, float | None], alpha: float
) -> dict[Component, float]:
    """What each component adds to the reward, ``q s / sum q``: parts of a bar.

    They sum to :func:`combine` up to rounding; empty where that gives ``None``.
    """
    present = _present(components, alpha)
    total = math.fsum(one.coefficient for one in present)
    if total <= 0:
        return {}
    return {one.component: one.coefficient * one.score / total for one in present}


def _present(components: Mapping[Component, float | None], alpha: float) -> list[Taking]:
    return [
        Taking(component, alpha if component is Component.GLOBAL else 1.0, score)
        for component, score in components.items()
        if score is not None
    ]


@dataclass(frozen=True)
class Hybrid:
    """The hybrid aggregator under its settings."""

    settings: HybridSettings = field(default_factory=HybridSettings)

    @property
    def name(self) -> str:
        """The name of the aggregator."""
        return NAME

    @property
    def needs_step(self) -> bool:
        """Whether the schedule of alpha needs the step of the rollouts."""
        return self.settings.alpha.needs_step

    def to_dict(self) -> dict[str, Json]:
        """The settings in full."""
        return self.settings.to_dict()

    def aggregate(self, group: Group, *, step: int | None = None) -> GroupRewards:
        """The hybrid rewards of a group.

        Raises :class:`SettingsError` where the schedule needs a ``step`` that is not given, and
        :class:`SpecError` for a rubric that this aggregator cannot read.
        """
        return self._rewards(group, self._items(group), step=step)

    def without_each(
        self, group: Group, keys: Iterable[str], *, step: int | None = None
    ) -> dict[str, GroupRewards]:
        """For each of the items by key, the rewards as if the spec did not have it."""
        items = self._items(group)
        return {
            key: self._rewards(group, [item for item in items if item.key != key], step=step)
            for key in keys
        }

    def _items(self, group: Group) -> list[Item]:
        settings = self.settings
        return read_items(group, settings.components.components, settings.checker_error)

    def _rewards(self, group: Group, items: Sequence[Item], *, step: int | None) -> GroupRewards:
        settings = self.settings
        alpha = settings.alpha.at(step)
        comparable = make_comparable(items, len(group.members), settings.missing)
        parts = [self.parts_of(comparable.items, at) for at in range(len(group.members))]
        scored = _score(parts, comparable.held_back, alpha)
        return assemble(
            group, items, comparable, scored, settings.advantage, alpha=alpha, step=step
        )

    def parts_of(self, items: Sequence[Item], at: int) -> Parts:
        """The components of one member; ``None`` where it, or its group, lacks them."""
        by_component: dict[Component, list[Item]] = {one: [] for one in Component}
        for item in items:
            by_component[item.component].append(item)
        return {
            component: self._part(component, its_items, at)
            for component, its_items in by_component.items()
        }

    def _part(self, component: Component, items: Sequence[Item], at: int) -> float | None:
        values = [value for item in items if (value := item.cells[at]) is not None]
        if not items or len(values) < len(items):
            return None
        weights = [item.weight for item in items]
        in_points = component is Component.RUBRIC and min(weights) < 0
        return points_share(weights, values, clip=in_points and self.settings.points.clip)

    def problems(self, spec: SpecValue) -> tuple[str, ...]:
        """Why rewards could never be computed under a spec, as sentences; empty when they can."""
        found = []
        try:
            check_encoding(spec.criteria)
        except CoreError as error:
            found.append(str(error))
        if spec.criteria and not _can_earn(spec.criteria):
            found.append("every criterion is negative, so the rubric has no points to earn")
        settings = self.settings
        asked = settings.components.components
        has = {Component.RUBRIC: spec.criteria, Component.CODE: spec.constraints}
        others = [one for one in asked if has.get(one)]
        if Component.GLOBAL not in asked and not others:
            found.append(f"the spec has nothing of the components {settings.components}")
        if Component.GLOBAL in asked and not others and settings.alpha.reaches_zero:
            found.append("only the global score counts, and alpha is 0 or becomes 0")
        return tuple(found)


def _can_earn(criteria: Sequence[Criterion]) -> bool:
    """Whether a rubric has a criterion that adds to the reward."""
    return any(
        one.polarity is Polarity.POSITIVE or one.scale is not Scale.POINTS for one in criteria
    )


def _score(parts: Sequence[Parts], held_back: Sequence[NoReward | None], alpha: float) -> Scored:
    rewards: list[float | None] = []
    reasons: list[NoReward | None] = []
    for components, held in zip(parts, held_back, strict=True):
        reward = None if held else combine(components, alpha)
        present = any(value is not None for value in components.values())
        nothing = NoReward.NO_WEIGHT if present else NoReward.NOTHING_SCORED
        rewards.append(reward)
        reasons.append(held or (nothing if reward is None else None))
    return Scored(parts, rewards, reasons)
