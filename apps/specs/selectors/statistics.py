"""Which constraint types a project asks for, and what answers them (paper 000, Table 14)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Q

from apps.accounts.models import Project
from apps.specs.models import Constraint
from apps.specs.selectors.specs import ANSWERS, newest_specs


@dataclass(frozen=True)
class TypeCounts:
    """The constraints of one type by what answers them; `specs` have one or more of them."""

    type: str
    native: int
    generated: int
    refused: int
    specs: int

    @property
    def total(self) -> int:
        return self.native + self.generated + self.refused


@dataclass(frozen=True)
class Distribution:
    """All types, the most frequent first, over the newest spec of each prompt.

    `specs` counts those that were looked at, `asking` those with any constraint.
    """

    types: list[TypeCounts]
    specs: int
    asking: int

    @property
    def native(self) -> int:
        return sum(one.native for one in self.types)

    @property
    def generated(self) -> int:
        return sum(one.generated for one in self.types)

    @property
    def refused(self) -> int:
        return sum(one.refused for one in self.types)

    @property
    def total(self) -> int:
        return sum(one.total for one in self.types)

    @property
    def shared(self) -> list[tuple[TypeCounts, float]]:
        """Each type with its share of all constraints."""
        return [(one, one.total / self.total) for one in self.types]

    @property
    def per_spec(self) -> float | None:
        """Constraints of a spec on the average; None without specs."""
        return self.total / self.specs if self.specs else None


def constraint_types(project: Project, *, state: str = "") -> Distribution:
    """The constraints of the newest version for the current text of each prompt.

    `state` looks at the specs of one state alone. Two queries, whatever the project holds.
    """
    specs = newest_specs(project).order_by()
    if state:
        specs = specs.filter(state=state)
    counts = {name: Count("pk", filter=answer) for name, answer in ANSWERS.items()}
    asked = Constraint.objects.filter(spec__in=specs.values("pk")).order_by().values("type")
    rows: Iterable[Any] = asked.annotate(specs=Count("spec", distinct=True), **counts)
    numbers = specs.aggregate(
        all=Count("pk", distinct=True),
        asking=Count("pk", distinct=True, filter=Q(constraints__isnull=False)),
    )
    types = [TypeCounts(**row) for row in rows]
    types.sort(key=lambda one: (-one.total, one.type))
    return Distribution(types, specs=numbers["all"], asking=numbers["asking"])
