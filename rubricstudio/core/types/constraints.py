"""Constraints: explicit, surface-checkable requirements, kept as data."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Final

from rubricstudio.core.canonical import canonical_hash
from rubricstudio.core.errors import SpecError
from rubricstudio.core.types.messages import Json

STUDIO: Final = "studio/1"
IFEVAL: Final = "ifeval/1"
DIALECTS: Final = (STUDIO, IFEVAL)
"""The segmentation dialects a spec may name."""


@dataclass(frozen=True, slots=True)
class Constraint:
    """A requirement that code can check: a type, its parameters and its options.

    ``evidence`` is the part of the prompt that asks for it. Which types are known, and which
    parameters they take, is the registry's business (``core.checkers``), so that a constraint
    of a refused type can still be kept and shown.
    """

    type: str
    params: Mapping[str, Json] = field(default_factory=dict, hash=False)
    options: Mapping[str, Json] = field(default_factory=dict, hash=False)
    evidence: str = ""
    dialect: str = STUDIO

    def __post_init__(self) -> None:
        if not isinstance(self.type, str) or not self.type.strip():
            raise SpecError("a constraint has no type; name what is to be checked")
        if self.dialect not in DIALECTS:
            raise SpecError(
                f"the constraint {self.type!r:.60} has the dialect {self.dialect!r:.60}; "
                f"known are {' and '.join(DIALECTS)}"
            )
        for name in ("params", "options"):
            value = getattr(self, name)
            if not isinstance(value, Mapping):
                raise SpecError(f"the {name} of {self.type!r:.60} are {value!r:.60}, not a mapping")
            object.__setattr__(self, name, dict(value))

    def content_hash(self) -> str:
        """A sha256 of all that an outcome depends on: type, params, options and dialect."""
        return canonical_hash(
            {
                "type": self.type,
                "params": self.params,
                "options": self.options,
                "dialect": self.dialect,
            }
        )

    def to_dict(self) -> dict[str, Json]:
        """The form written into a spec line; every key is always there."""
        return {
            "type": self.type,
            "params": dict(self.params),
            "options": dict(self.options),
            "evidence": self.evidence,
            "dialect": self.dialect,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "Constraint":
        """Read ``to_dict``'s form; absent keys take their defaults, unknown ones are refused."""
        unknown = sorted(set(data) - {one.name for one in fields(cls)})
        if unknown:
            raise SpecError(f"a constraint has no {unknown[0]!r}; see the keys of to_dict")
        return cls(**{"type": "", **data})
