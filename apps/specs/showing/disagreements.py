"""Constraints in which rules and a model read the same words of a prompt differently."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

from apps.specs.models import Constraint
from apps.specs.showing.words import ShownConstraint
from rubricstudio.core.checkers.extract.comparing import disagree


class Disagreement(NamedTuple):
    """The numbers of two constraints, of which a reviewer keeps the right one."""

    first: int
    second: int


def disagreements_of(constraints: Sequence[ShownConstraint]) -> list[Disagreement]:
    """The pairs that rules and the model read from the same words, checked ones alone."""
    checked = [one for one in constraints if not one.row.refused]
    return [
        Disagreement(one.number, other.number)
        for one, other in combinations(checked, 2)
        if _read_differently(one.row, other.row)
    ]


def _read_differently(one: Constraint, other: Constraint) -> bool:
    readers = {one.origin, other.origin}
    by_both = readers == {Constraint.Origin.RULES, Constraint.Origin.MODEL}
    return by_both and disagree(one.as_value(), other.as_value())
