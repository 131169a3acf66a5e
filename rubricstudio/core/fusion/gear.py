"""GEAR: criteria with prerequisites, and weighted trees of criteria.

A criterion counts only as far as its prerequisites are fulfilled. In topological order ::

    q_i = p_i * product over parents j of (q_j + (1 - q_j) * leak)
    S   = sum w_i q_i / sum of positive w_i

with a leak of 0.6 for a weak prerequisite, 0.2 for a strong one and 0 for a trigger.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from graphlib import CycleError, TopologicalSorter
from typing import Any, Final

import numpy as np

from rubricstudio.core.bradley_terry import Floats
from rubricstudio.core.errors import GroupError
from rubricstudio.core.fusion.baselines import PerGroup, points_of_rows
from rubricstudio.core.fusion.matrix import Edge, Fused, Kept, ScoreMatrix, finish, keep_comparable
from rubricstudio.core.rewards.choices import read_kind

LEAKS: Final[Mapping[str, float]] = {
    "weak_prerequisite": 0.6,
    "strong_prerequisite": 0.2,
    "trigger": 0.0,
}
HALF: Final = 0.5


class GearMode(StrEnum):
    """How prerequisites count: as a graph with leaks, not at all, or as gates at one half."""

    DAG = "dag"
    FLAT = "flat"
    HARD = "hard"


@dataclass(frozen=True)
class Gear(PerGroup):
    """The GEAR score. Negative weights take away; without a positive one nobody is scored.

    Raises :class:`GroupError` for prerequisites that go in a circle or are of an unknown kind.
    """

    mode: GearMode = GearMode.DAG

    def __post_init__(self) -> None:
        object.__setattr__(self, "mode", read_kind("the mode of gear", GearMode, self.mode))

    def _one(self, group: ScoreMatrix) -> Fused:
        order = _ordered(group)
        kept = keep_comparable(group, self.missing)
        carried = self._carried(kept, group.edges, order)
        return finish(points_of_rows(carried, kept.weights), kept, self.advantage)

    def _carried(self, kept: Kept, edges: Sequence[Edge], order: Sequence[int]) -> Floats:
        """q of every kept criterion; an edge to a criterion that is dropped is dropped too."""
        row = {int(place): at for at, place in enumerate(kept.criteria)}
        carried = kept.scores.copy()
        if self.mode is GearMode.FLAT:
            return carried
        held = [edge for edge in edges if edge.child in row and edge.parent in row]
        for child in order:
            for edge in held:
                if edge.child == child:
                    carried[row[child]] *= self._share(kept, carried, row[edge.parent], edge.kind)
        return carried

    def _share(self, kept: Kept, carried: Floats, parent: int, kind: str) -> Floats:
        if self.mode is GearMode.HARD:
            fulfilled: Floats = np.greater_equal(kept.scores[parent], HALF).astype(float)
            return fulfilled
        through = carried[parent]
        share: Floats = through + (1 - through) * LEAKS[kind]
        return share


def _ordered(group: ScoreMatrix) -> list[int]:
    sorter: TopologicalSorter[int] = TopologicalSorter()
    for edge in group.edges:
        if edge.kind not in LEAKS:
            raise GroupError(
                f"the prerequisite {edge.kind!r:.40} is unknown; known are {', '.join(LEAKS)}"
            )
        sorter.add(edge.child, edge.parent)
    try:
        return list(sorter.static_order())
    except CycleError as error:
        circle = " -> ".join(str(place) for place in error.args[1])
        raise GroupError(f"the prerequisites go in a circle: {circle}") from None


def tree_score(node: Mapping[str, Any], *, children: str, weight: str, score: str) -> float | None:
    """The score of a weighted tree: a leaf's own, else the weighted mean of its children.

    Weights are normalised for each parent. The names are those of the keys of a node. ``None``
    where a leaf has no score or a parent's weights sum to 0: a missing leaf is never 0.
    """
    below = node.get(children) or ()
    if not below:
        value = node.get(score)
        return None if value is None else float(value)
    parts = [tree_score(one, children=children, weight=weight, score=score) for one in below]
    weights = np.array([float(one[weight]) for one in below])
    known = [part for part in parts if part is not None]
    if len(known) < len(parts) or weights.sum() <= 0:
        return None
    return float(weights @ np.array(known) / weights.sum())
