"""What dropping one column would do: the order before, the order after, and who moves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from apps.studio.matrix.scene import Scene
from rubricstudio.core.rewards import leverage, pairs

MOST_LINES: Final = 16
LINE: Final = 16


class FlowLine(NamedTuple):
    """A rollout on its way: where it stood, where it would stand, the reward it would have.

    `begin` and `end` are heights in the drawing.
    """

    label: str
    begin: float
    end: float
    reward: float | None
    moves: bool


@dataclass(frozen=True)
class Flow:
    """The lines of the drawing in both orders, and what changes in numbers."""

    key: str
    changed: int | None
    pairs: int
    winner_stays: bool
    before: list[FlowLine]
    after: list[FlowLine]
    left_out: int
    height: int


def flow_without(scene: Scene, key: str) -> Flow | None:
    """The order of a group without one item; None where there is no order to begin with.

    Of a large group it tells those that move, the best first.
    """
    if scene.result is None or scene.gathered is None or not pairs(scene.rewards):
        return None
    found = leverage(
        scene.aggregator, scene.gathered.group, [key], before=scene.rewards, step=scene.step
    )[key]
    if found.changed is None:
        return Flow(key, None, pairs(scene.rewards), True, [], [], 0, 0)
    before, after = _order(scene.rewards), _order(found.rewards)
    shown = _shown(before, after)
    lines = {
        at: FlowLine(
            label=f"r{at + 1}",
            begin=_height(before, shown, at),
            end=_height(after, shown, at),
            reward=found.rewards[at],
            moves=before.index(at) != after.index(at),
        )
        for at in shown
    }
    return Flow(
        key=key,
        changed=found.changed,
        pairs=pairs(scene.rewards),
        winner_stays=before[0] == after[0],
        before=[lines[at] for at in before if at in lines],
        after=[lines[at] for at in after if at in lines],
        left_out=len(before) - len(shown),
        height=LINE * len(shown),
    )


def _order(rewards: Sequence[float | None]) -> list[int]:
    """The members with a reward, the best first, equal ones by number."""
    there = [(-reward, at) for at, reward in enumerate(rewards) if reward is not None]
    return [at for _reward, at in sorted(there)]


def _shown(before: Sequence[int], after: Sequence[int]) -> set[int]:
    if len(before) <= MOST_LINES:
        return set(before)
    moving = [at for place, at in enumerate(before) if after.index(at) != place]
    return set(moving[:MOST_LINES])


def _height(order: Sequence[int], shown: set[int], at: int) -> float:
    return LINE * ([one for one in order if one in shown].index(at) + 0.5)
