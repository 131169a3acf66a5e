"""A spec before it is saved: its parts as values of the core, and where each came from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from apps.specs.models import Constraint as ConstraintRow
from rubricstudio.core.checkers.registry import normalised
from rubricstudio.core.errors import SpecError
from rubricstudio.core.parsing.labels import GENERAL
from rubricstudio.core.types import STUDIO, Constraint, Criterion

Origin = ConstraintRow.Origin


@dataclass(frozen=True, slots=True)
class DraftConstraint:
    """A constraint with its origin; `refused` says why no checker answers it, empty otherwise."""

    value: Constraint
    origin: str
    refused: str = ""

    @classmethod
    def of(cls, constraint: Constraint, *, origin: str) -> DraftConstraint:
        """With all defaults written out where a checker answers it, as it is where none does."""
        try:
            return cls(normalised(constraint), origin)
        except SpecError as error:
            return cls(constraint, origin, str(error))

    @classmethod
    def kept(cls, row: ConstraintRow) -> DraftConstraint:
        """A stored one as it is."""
        return cls(row.as_value(), row.origin, row.refused)


@dataclass(frozen=True, slots=True)
class Draft:
    """What the next version of a spec is to hold. `method` names how it was made."""

    criteria: tuple[Criterion, ...] = ()
    constraints: tuple[DraftConstraint, ...] = ()
    label: str = GENERAL
    dialect: str = STUDIO
    method: str = ""
    provenance: Mapping[str, Any] = field(default_factory=dict)

    @property
    def checked(self) -> tuple[Constraint, ...]:
        """The constraints that have a checker."""
        return tuple(one.value for one in self.constraints if not one.refused)

    @property
    def scores(self) -> bool:
        """Whether there is anything to score with: criteria, checkers or both."""
        return bool(self.criteria or self.checked)


def draft_constraints(
    constraints: Iterable[Constraint], *, origin: str
) -> tuple[DraftConstraint, ...]:
    return tuple(DraftConstraint.of(one, origin=origin) for one in constraints)
