"""A spec as a value: what success means for one prompt, without a database behind it."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from rubricstudio.core.canonical import canonical_json, sha256_hex
from rubricstudio.core.errors import SpecError
from rubricstudio.core.types.constraints import DIALECTS, STUDIO, Constraint
from rubricstudio.core.types.criteria import Criterion
from rubricstudio.core.types.messages import Json, Message, messages_hash


@dataclass(frozen=True, slots=True)
class SpecValue:
    """The rubric and the constraints of one prompt.

    A spec without criteria and without constraints is a draft that cannot score; a bundle refuses
    it. ``dialect`` is the segmentation it was written for; each constraint holds its own.
    """

    prompt_id: str
    prompt: tuple[Message, ...]
    criteria: tuple[Criterion, ...] = ()
    constraints: tuple[Constraint, ...] = ()
    label: str = "general"
    dialect: str = STUDIO
    method: str = "hybrid"
    version: int = 1

    def __post_init__(self) -> None:
        for name in ("prompt", "criteria", "constraints"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        if not self.prompt_id:
            raise SpecError("a spec needs the id of its prompt")
        if not self.prompt:
            raise SpecError(f"the prompt {self.prompt_id!r:.60} has no messages")
        if self.dialect not in DIALECTS:
            raise SpecError(
                f"unknown dialect {self.dialect!r:.60}; known are {', '.join(DIALECTS)}"
            )
        for key, count in Counter(criterion.key for criterion in self.criteria).items():
            if count > 1:
                raise SpecError(
                    f"the spec of the prompt {self.prompt_id!r:.60} has {count} criteria with the "
                    f"key {key!r:.60}; keys are unique within a spec"
                )

    @property
    def scores(self) -> bool:
        """Whether there is anything to score with."""
        return bool(self.criteria or self.constraints)

    def to_dict(self) -> dict[str, Json]:
        """The content of the spec line; it holds the hash of the prompt, never its own id."""
        return {
            "prompt_id": self.prompt_id,
            "prompt": [message.to_dict() for message in self.prompt],
            "prompt_sha256": messages_hash(self.prompt),
            "label": self.label,
            "dialect": self.dialect,
            "method": self.method,
            "version": self.version,
            "criteria": [criterion.to_dict() for criterion in self.criteria],
            "constraints": [constraint.to_dict() for constraint in self.constraints],
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "SpecValue":
        """Read ``to_dict``'s form; raises :class:`SpecError` where the prompt's hash differs."""
        known = {one.name for one in fields(cls)} | {"prompt_sha256"}
        unknown = sorted(set(data) - known)
        if unknown:
            raise SpecError(f"a spec has no {unknown[0]!r}; known are {', '.join(sorted(known))}")
        values = {name: value for name, value in data.items() if name != "prompt_sha256"}
        values["prompt"] = tuple(map(Message.from_dict, data.get("prompt", ())))
        values["criteria"] = tuple(map(Criterion.from_dict, data.get("criteria", ())))
        values["constraints"] = tuple(map(Constraint.from_dict, data.get("constraints", ())))
        spec = cls(**{"prompt_id": "", **values})
        if "prompt_sha256" in data and data["prompt_sha256"] != messages_hash(spec.prompt):
            raise SpecError(f"the prompt of {spec.prompt_id!r:.60} is not the one its hash names")
        return spec

    def line(self) -> bytes:
        """The canonical spec line, without the line break that ends it in a file."""
        return canonical_json(self.to_dict())

    def spec_id(self) -> str:
        """The sha256 of the canonical spec line."""
        return sha256_hex(self.line())
