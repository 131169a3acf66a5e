"""The parameters of constraint types, as data: what each may be, and what it means.

The same description validates an import, fills in defaults, and tells a model or a person which
constraints may be written.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from rubricstudio.core.errors import ConstraintError
from rubricstudio.core.types import Json

LONGEST_TEXT: Final = 20_000
MOST_PHRASES: Final = 200
LARGEST_COUNT: Final = 10_000_000


class Kind(StrEnum):
    """What kind of value a parameter takes."""

    TEXT = "text"
    TEXTS = "texts"
    DIVIDER = "divider"
    COUNT = "count"
    POSITION = "position"
    SHARE = "share"
    PAIRS = "pairs"
    CHOICE = "choice"
    FLAG = "flag"


@dataclass(frozen=True, slots=True)
class Param:
    """One parameter or option of a constraint type.

    A value that is not required is ``default`` when absent; a default of ``None`` means that
    nothing is asked. ``least`` is the smallest count that can be asked for.
    """

    kind: Kind
    meaning: str
    required: bool = False
    default: Json = None
    choices: tuple[str, ...] = ()
    least: int = 0

    def read(self, value: Json) -> Json:
        """The value in its one form; raises :class:`ConstraintError` with what it should be."""
        return _READERS[self.kind](self, value)

    def json_schema(self) -> dict[str, Json]:
        """The JSON schema of the value."""
        schema = dict(_SCHEMAS[self.kind])
        if self.choices:
            schema["enum"] = list(self.choices)
        if self.kind is Kind.COUNT:
            schema["minimum"] = self.least
        return {**schema, "description": self.meaning}


def read_params(
    where: str, declared: Mapping[str, Param], given: Mapping[str, Json]
) -> dict[str, Json]:
    """All declared parameters with their values, defaults written out.

    ``where`` names the constraint in messages. Raises :class:`ConstraintError`.
    """
    unknown = sorted(set(given) - set(declared))
    if unknown:
        known = ", ".join(declared) or "nothing"
        raise ConstraintError(f"{where} takes no {unknown[0]!r:.60}; it takes {known}")
    return {name: _read_one(where, name, param, given) for name, param in declared.items()}


def _read_one(where: str, name: str, param: Param, given: Mapping[str, Json]) -> Json:
    value = given.get(name)
    if value is None:
        if param.required:
            raise ConstraintError(f"{where} needs {name}: {param.meaning}")
        return param.default
    try:
        return param.read(value)
    except ConstraintError as error:
        raise ConstraintError(f"{where} has the {name} {value!r:.60}; {error}") from None


def _text(param: Param, value: Json) -> Json:
    if not isinstance(value, str) or not value.strip():
        raise ConstraintError("it has to be text that is not blank")
    return _divider(param, value)


def _divider(_: Param, value: Json) -> Json:
    if not isinstance(value, str) or not value:
        raise ConstraintError("it has to be text")
    if len(value) > LONGEST_TEXT:
        raise ConstraintError(f"it may have {LONGEST_TEXT:,} characters at most")
    return value


def _texts(param: Param, value: Json) -> Json:
    if isinstance(value, str) or not isinstance(value, list | tuple) or not value:
        raise ConstraintError("it has to be a list with at least one text")
    if len(value) > MOST_PHRASES:
        raise ConstraintError(f"it may have {MOST_PHRASES} texts at most")
    return [_text(param, item) for item in value]


def _count(param: Param, value: Json) -> Json:
    number = _whole(value)
    if number is None or not param.least <= number <= LARGEST_COUNT:
        raise ConstraintError(
            f"it has to be a whole number from {param.least} to {LARGEST_COUNT:,}"
        )
    return number


def _position(_: Param, value: Json) -> Json:
    number = _whole(value)
    if number is None or number == 0 or abs(number) > LARGEST_COUNT:
        raise ConstraintError("it has to be 1 for the first, 2 for the second …, -1 for the last")
    return number


def _whole(value: Json) -> int | None:
    """A whole number, also when it was written as 3.0; ``None`` for everything else."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return int(value) if math.isfinite(value) and value == int(value) else None


def _share(_: Param, value: Json) -> Json:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1:
        raise ConstraintError("it has to be a share from 0 to below 1, such as 0.1")
    return float(value)


def _pairs(param: Param, value: Json) -> Json:
    if not isinstance(value, dict) or not value:
        raise ConstraintError("it has to be an object that gives at least one text for a text")
    if len(value) > MOST_PHRASES:
        raise ConstraintError(f"it may have {MOST_PHRASES} pairs at most")
    return {str(_text(param, key)): _text(param, one) for key, one in value.items()}


def _choice(param: Param, value: Json) -> Json:
    if value not in param.choices:
        raise ConstraintError(f"it has to be one of {', '.join(param.choices)}")
    return value


def _flag(_: Param, value: Json) -> Json:
    if not isinstance(value, bool):
        raise ConstraintError("it has to be true or false")
    return value


_READERS: Final[Mapping[Kind, Callable[[Param, Json], Json]]] = {
    Kind.TEXT: _text,
    Kind.TEXTS: _texts,
    Kind.DIVIDER: _divider,
    Kind.COUNT: _count,
    Kind.POSITION: _position,
    Kind.SHARE: _share,
    Kind.PAIRS: _pairs,
    Kind.CHOICE: _choice,
    Kind.FLAG: _flag,
}

_SCHEMAS: Final[Mapping[Kind, Mapping[str, Json]]] = {
    Kind.TEXT: {"type": "string", "minLength": 1},
    Kind.TEXTS: {"type": "array", "items": {"type": "string", "minLength": 1}, "minItems": 1},
    Kind.DIVIDER: {"type": "string", "minLength": 1},
    Kind.COUNT: {"type": "integer"},
    Kind.POSITION: {"type": "integer"},
    Kind.SHARE: {"type": "number", "minimum": 0, "exclusiveMaximum": 1},
    Kind.PAIRS: {
        "type": "object",
        "additionalProperties": {"type": "string", "minLength": 1},
        "minProperties": 1,
    },
    Kind.CHOICE: {"type": "string"},
    Kind.FLAG: {"type": "boolean"},
}
