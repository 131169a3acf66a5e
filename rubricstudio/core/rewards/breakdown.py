"""One hybrid reward taken apart: what each item of a rollout adds to it.

With the component of an item present in its group, of coefficient q (1, or alpha for the global
score), and the item of weight w and value v among the items of that component::

    share = q / sum q  *  w v / sum of positive w

so the shares sum to the reward, unless points below 0 or above 1 were cut off.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from rubricstudio.core.rewards.cells import Item, read_items
from rubricstudio.core.rewards.groups import Component, Group
from rubricstudio.core.rewards.hybrid import Hybrid, combine
from rubricstudio.core.rewards.missing import make_comparable


class ItemShare(NamedTuple):
    """An item with its value for one rollout.

    ``value`` is what counts, in [0, 1], or would count; ``None`` where nothing was said.
    ``share`` is what it adds to the reward, ``None`` where it counts for nobody in the group, or
    its rollout has no reward.
    """

    key: str
    component: Component
    weight: float
    value: float | None
    share: float | None
    counts: bool


@dataclass(frozen=True)
class ComponentShare:
    """A component of a reward: ``coefficient`` times ``score``, which is ``earned / possible``.

    ``score`` is ``None`` where the group does not have the component, and differs from the
    quotient where points were cut off.
    """

    component: Component
    coefficient: float
    score: float | None
    earned: float
    possible: float

    @property
    def is_cut_off(self) -> bool:
        """Whether the points earned lay outside of what can be earned."""
        return self.score is not None and not 0 <= self.earned <= self.possible


@dataclass(frozen=True)
class Breakdown:
    """A reward with its components and their items; ``reward`` is ``None`` where there is none."""

    reward: float | None
    alpha: float
    components: tuple[ComponentShare, ...]
    items: tuple[ItemShare, ...]


def break_down(hybrid: Hybrid, group: Group, at: int, *, step: int | None = None) -> Breakdown:
    """The reward of the member at ``at``, part by part; raises as ``Hybrid.aggregate`` does."""
    settings = hybrid.settings
    alpha = settings.alpha.at(step)
    items = read_items(group, settings.components.components, settings.checker_error)
    comparable = make_comparable(items, len(group.members), settings.missing)
    scores = hybrid.parts_of(comparable.items, at)
    reward = None if comparable.held_back[at] else combine(scores, alpha)
    components = {
        one: _component(one, comparable.items, at, score=score, alpha=alpha)
        for one, score in scores.items()
        if one in settings.components.components
    }
    kept = {item.key for item in comparable.items}
    total = math.fsum(one.coefficient for one in components.values() if one.score is not None)
    shares = (
        _share(item, at, components[item.component], total)
        if reward is not None and item.key in kept
        else None
        for item in items
    )
    return Breakdown(
        reward=reward,
        alpha=alpha,
        components=tuple(components.values()),
        items=tuple(
            ItemShare(
                item.key, item.component, item.weight, item.cells[at], share, item.key in kept
            )
            for item, share in zip(items, shares, strict=True)
        ),
    )


def _component(
    component: Component, items: Sequence[Item], at: int, *, score: float | None, alpha: float
) -> ComponentShare:
    its = [item for item in items if item.component is component]
    return ComponentShare(
        component=component,
        coefficient=alpha if component is Component.GLOBAL else 1.0,
        score=score,
        earned=math.fsum(item.weight * (item.cells[at] or 0.0) for item in its),
        possible=math.fsum(item.weight for item in its if item.weight > 0),
    )


def _share(item: Item, at: int, component: ComponentShare, total: float) -> float | None:
    value = item.cells[at]
    if value is None or component.score is None:
        return None
    return component.coefficient / total * item.weight * value / component.possible
