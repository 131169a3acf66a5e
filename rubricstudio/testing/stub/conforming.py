"""A JSON value that conforms to a schema, filled from the planted truth where it knows the key."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from rubricstudio.testing.stub import truth

Schema = Mapping[str, Any]

FEW: Final = 2
"""Items of a list about which nothing is planted."""


class Conforming:
    """Fills schemas for one request: ``blocks`` are its data, ``salt`` makes samples differ."""

    def __init__(self, blocks: Mapping[str, str], salt: str = "") -> None:
        self._prompt = blocks.get("prompt", "")
        self._response = blocks.get("response", "")
        self._criterion = blocks.get("criterion", "") + salt
        self._known: Mapping[str, Callable[[Schema], Any]] = {
            "verdict": self._verdict,
            "label": self._label,
            "evidence": lambda schema: self._response[: min(40, schema.get("maxLength", 40))],
            "confidence": lambda schema: 0.9,
            "criteria": lambda schema: truth.planted_criteria(
                self._prompt, schema.get("maxItems", 6)
            ),
            "constraints": lambda schema: truth.planted_constraints(self._prompt) or None,
        }

    def value(self, schema: Schema, key: str = "") -> Any:
        """The value for a schema that stands under ``key``."""
        if key in self._known:
            return self._known[key](schema)
        if "const" in schema:
            return schema["const"]
        if "enum" in schema:
            return truth.planted_answer(schema["enum"], key, self._prompt, self._criterion)
        if "anyOf" in schema:
            return self.value(schema["anyOf"][-1], key)
        return self._of_type(schema, key)

    def _of_type(self, schema: Schema, key: str) -> Any:
        kind = schema.get("type", "object")
        if kind == "object":
            properties = schema.get("properties", {})
            return {name: self.value(below, name) for name, below in properties.items()}
        if kind == "array":
            count = max(schema.get("minItems", 0), min(FEW, schema.get("maxItems", FEW)))
            return [self.value(schema.get("items", {"type": "null"}), key) for _ in range(count)]
        if kind in ("number", "integer"):
            return schema.get("minimum", 1)
        plain = {"boolean": True, "null": None}
        return plain[kind] if kind in plain else f"some {key}"[: schema.get("maxLength", 80)]

    def _verdict(self, schema: Schema) -> str:
        return truth.planted_verdict(self._response, self._criterion, schema["enum"])

    def _label(self, schema: Schema) -> str:
        return truth.planted_label(self._prompt, schema["enum"])
