"""What the API gives: specs, their criteria and constraints."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from ninja import Schema

from apps.specs.models import Constraint, Criterion, Spec


class SpecOut(Schema):
    """A spec in a list; `prompt` is the number of its prompt."""

    prompt: int
    prompt_id: str
    revision: int
    version: int
    state: str
    spec_id: str
    label: str
    method: str
    dialect: str
    created_at: datetime
    criteria: int
    checkers: int
    # Constraints that no checker answers yet.
    refused: int

    @staticmethod
    def resolve_prompt(spec: Spec) -> int:
        return spec.prompt_revision.prompt.number

    @staticmethod
    def resolve_prompt_id(spec: Spec) -> str:
        return spec.prompt_revision.prompt.key

    @staticmethod
    def resolve_revision(spec: Spec) -> int:
        return spec.prompt_revision.revision

    @staticmethod
    def resolve_criteria(spec: Any) -> int:
        return int(spec.criteria_count)

    @staticmethod
    def resolve_checkers(spec: Any) -> int:
        return int(spec.checkers_count)

    @staticmethod
    def resolve_refused(spec: Any) -> int:
        return int(spec.refused_count)


class SpecsOut(Schema):
    items: list[SpecOut]
    next: str | None


class ConstraintOut(Schema):
    """A constraint as data; `refused` says why no checker answers it, empty otherwise."""

    type: str
    params: dict[str, Any]
    options: dict[str, Any]
    dialect: str
    evidence: str
    origin: str
    refused: str

    @classmethod
    def of(cls, row: Constraint) -> ConstraintOut:
        value = row.as_value().to_dict()
        return cls.model_validate({**value, "origin": row.origin, "refused": row.refused})


class CriterionOut(Schema):
    """A criterion in the form of the spec line, with the hash that verdicts are held to."""

    key: str
    text: str
    weight: float
    polarity: str
    scale: str
    levels: int | None
    lo: float
    hi: float
    bucket: str
    essential: bool | None
    tier: str
    scope: str
    source: str
    source_name: str
    anchors: dict[str, str]
    rationale: str
    tags: list[str]
    content_sha256: str

    @classmethod
    def of(cls, row: Criterion) -> CriterionOut:
        value = row.as_value().to_dict()
        return cls.model_validate({**value, "content_sha256": row.content_sha256})


class SpecDetailOut(SpecOut):
    """One version with its parts and where they came from."""

    reason: str
    provenance: dict[str, Any]
    rubric: list[CriterionOut]
    constraints: list[ConstraintOut]

    @staticmethod
    def resolve_rubric(spec: Spec) -> list[CriterionOut]:
        return [CriterionOut.of(one) for one in spec.criteria.all()]

    @staticmethod
    def resolve_constraints(spec: Spec) -> list[ConstraintOut]:
        return [ConstraintOut.of(one) for one in spec.constraints.all()]
