"""What a prompt was published with, as parts of a spec."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rubricstudio.core.checkers.given import (
    healthbench_criteria,
    instruction_constraints,
    writingbench_criteria,
)
from rubricstudio.core.types import Constraint, Criterion


@dataclass(frozen=True, slots=True)
class GivenParts:
    """Published criteria and constraints; both empty where nothing was published."""

    criteria: tuple[Criterion, ...] = ()
    constraints: tuple[Constraint, ...] = ()


def given_parts(given: Mapping[str, Any]) -> GivenParts:
    """Read `PromptRevision.given`; raises `SpecError` for rows that no spec can hold."""
    criteria: list[Criterion] = []
    if "rubrics" in given:
        criteria = healthbench_criteria(given["rubrics"])
    elif "checklist" in given:
        criteria = writingbench_criteria(given["checklist"])
    constraints: list[Constraint] = []
    if "instruction_id_list" in given:
        constraints = instruction_constraints(given["instruction_id_list"], given["kwargs"])
    return GivenParts(tuple(criteria), tuple(constraints))
