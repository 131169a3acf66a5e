"""What the API gives: specs, their criteria and constraints."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime
from typing import Any

from ninja import Field, Schema

from apps.specs.models import Constraint, Criterion, Spec
from apps.specs.selectors import Distribution
from rubricstudio.core.types import STUDIO


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


class ConstraintIn(Schema):
    """A constraint to try, as a spec line has it."""

    type: str
    params: dict[str, Any] = {}
    options: dict[str, Any] = {}
    dialect: str = STUDIO


class TryIn(Schema):
    """A response to be checked; `constraints` stand in for those of the spec."""

    response: str
    truncated: bool = False
    version: int | None = None
    constraints: list[ConstraintIn] | None = Field(None, max_length=100)


class OutcomeOut(Schema):
    """What one checker says: passed, failed or unavailable, why, and where in the response.

    `cause` is ok for an answer, else why there is none; `spans` count code points, end excluded.
    """

    number: int
    type: str
    result: str
    cause: str
    reason: str
    spans: list[tuple[int, int]]


class TriedOut(Schema):
    """The outcomes in the order of the constraints; nothing was stored."""

    version: int
    outcomes: list[OutcomeOut]


class TypeCountsOut(Schema):
    """The constraints of one type by what answers them; `specs` have one or more of them."""

    type: str
    native: int
    generated: int
    refused: int
    total: int
    share: float
    specs: int


class ConstraintTypesOut(Schema):
    """All types, the most frequent first, over the newest spec of each prompt."""

    types: list[TypeCountsOut]
    total: int
    specs: int
    asking: int

    @classmethod
    def of(cls, found: Distribution) -> ConstraintTypesOut:
        types = [
            TypeCountsOut(share=share, total=one.total, **asdict(one))
            for one, share in found.shared
        ]
        return cls(types=types, total=found.total, specs=found.specs, asking=found.asking)
