"""What a request holds the answer to, as each backend understands it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from rubricstudio.llm.client import Backend

STRUCTURED: Final = ("json", "regex", "choice", "grammar", "json_object", "structural_tag")
LITERAL: Final = re.compile(r'"((?:[^"\\]|\\.)*)"')


class BadConstraint(ValueError):
    """What the server answers 400 to."""


@dataclass(frozen=True, slots=True)
class Constraint:
    """At most one of: words to choose from, a schema, prose ending in a score, any object."""

    choice: tuple[str, ...] = ()
    schema: Mapping[str, Any] | None = None
    score: bool = False


FREE: Final = Constraint()


def constraint_of(request: Mapping[str, Any], backend: Backend) -> Constraint:
    """The constraint that this backend would obey; fields it does not know are passed over."""
    if backend is Backend.VLLM and request.get("structured_outputs"):
        return _structured(request["structured_outputs"])
    if backend is Backend.LLAMACPP and request.get("grammar"):
        return _grammar(request["grammar"])
    return _response_format(request.get("response_format") or {})


def _structured(asked: Any) -> Constraint:
    if not isinstance(asked, Mapping):
        raise BadConstraint("structured_outputs has to be an object")
    given = [name for name in STRUCTURED if asked.get(name) is not None]
    if len(given) != 1:
        raise BadConstraint(
            "You can only use one kind of structured outputs constraint but multiple are specified"
        )
    if given[0] == "choice":
        if not isinstance(asked["choice"], list) or not asked["choice"]:
            raise BadConstraint("choice has to be a list of texts")
        return Constraint(choice=tuple(asked["choice"]))
    if given[0] == "json":
        return Constraint(schema=_schema(asked["json"]))
    if given[0] == "regex":
        return _regex(asked["regex"])
    return _grammar(asked["grammar"]) if given[0] == "grammar" else Constraint(schema={})


def _response_format(asked: Mapping[str, Any]) -> Constraint:
    if asked.get("type") == "json_schema":
        return Constraint(schema=_schema((asked.get("json_schema") or {}).get("schema")))
    return Constraint(schema={}) if asked.get("type") == "json_object" else FREE


def _schema(schema: Any) -> Mapping[str, Any]:
    types = ("object", "array", "string", "number", "integer", "boolean", "null")
    if not isinstance(schema, Mapping) or schema.get("type", "object") not in types:
        raise BadConstraint(f"Invalid JSON schema: {schema!r:.80}")
    return schema


def _regex(pattern: Any) -> Constraint:
    try:
        re.compile(pattern)
    except (re.error, TypeError) as error:
        raise BadConstraint(f"Invalid regex: {error}") from None
    if "\\[\\[" in pattern:
        return Constraint(score=True)
    words = re.fullmatch(r"\(?([\w |]+)\)?", pattern)
    if words is None:
        raise BadConstraint("the stub makes no text for this regex")
    return Constraint(choice=tuple(words[1].split("|")))


def _grammar(grammar: Any) -> Constraint:
    if not isinstance(grammar, str) or "root ::=" not in grammar:
        raise BadConstraint("failed to parse grammar")
    if '"[["' in grammar:
        return Constraint(score=True)
    return Constraint(choice=tuple(LITERAL.findall(grammar)))
