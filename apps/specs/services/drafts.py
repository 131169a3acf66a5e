"""A spec before it is saved: its parts as values of the core, and where each came from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from apps.specs.models import Checker
from apps.specs.models import Constraint as ConstraintRow
from rubricstudio.core.checkers.generated import with_code
from rubricstudio.core.checkers.registry import normalised
from rubricstudio.core.errors import SpecError
from rubricstudio.core.parsing.labels import GENERAL
from rubricstudio.core.types import STUDIO, Constraint, Criterion

Origin = ConstraintRow.Origin


@dataclass(frozen=True, slots=True)
class DraftConstraint:
    """A constraint with its origin; `refused` says why no checker answers it, empty otherwise.

    `code` is the source of a generated checker, which was validated; `validation` is the log.
    """

    value: Constraint
    origin: str
    refused: str = ""
    code: str = ""
    validation: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, constraint: Constraint, *, origin: str) -> DraftConstraint:
        """With all defaults written out where a checker answers it, as it is where none does."""
        try:
            return cls(normalised(constraint), origin)
        except SpecError as error:
            return cls(constraint, origin, str(error))

    @classmethod
    def generated(
        cls, constraint: Constraint, *, origin: str, code: str, validation: Mapping[str, Any]
    ) -> DraftConstraint:
        """With a generated checker; the constraint is bound to its code by hash."""
        return cls(with_code(constraint, code), origin, code=code, validation=validation)

    @classmethod
    def kept(cls, row: ConstraintRow) -> DraftConstraint:
        """A stored one as it is, with its code if it has some."""
        if row.refused or row.checker.origin == Checker.Origin.NATIVE:
            return cls(row.as_value(), row.origin, row.refused)
        checker = row.checker
        return cls(row.as_value(), row.origin, code=checker.code, validation=checker.validation)


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
