"""What an entry of the registry says about a constraint type."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from rubricstudio.core.checkers.answers import Check, Values
from rubricstudio.core.checkers.params import Param
from rubricstudio.core.types import STUDIO, Json


@dataclass(frozen=True, slots=True)
class ConstraintType:
    """One constraint type: its name, what it asks, its parameters and options, its function.

    ``settle`` makes parameters agree with each other, or refuses them. ``dialect`` is the one it
    belongs to; no name is in two.
    """

    name: str
    meaning: str
    params: Mapping[str, Param]
    options: Mapping[str, Param]
    make: Callable[[Values, Values], Check]
    settle: Callable[[Values], dict[str, Json]] = dict
    dialect: str = STUDIO

    def json_schema(self) -> dict[str, Any]:
        """The JSON schema of the parameters."""
        return {
            "type": "object",
            "properties": {name: param.json_schema() for name, param in self.params.items()},
            "required": [name for name, param in self.params.items() if param.required],
            "additionalProperties": False,
        }
