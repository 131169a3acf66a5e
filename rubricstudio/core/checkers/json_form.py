"""The constraint that a response is JSON and nothing else."""

import json
import re
from collections.abc import Iterable
from typing import Any, Final

from rubricstudio.core.checkers.answers import Answer, Check, Values, shown
from rubricstudio.core.checkers.constraint_type import ConstraintType
from rubricstudio.core.checkers.params import Kind, Param
from rubricstudio.core.checkers.segmentation import DocumentView

_FENCED: Final = re.compile(r"\s*(`{3,}|~{3,})(?:json5?|JSON)?[ \t]*\n(.*)\n[ \t]*\1\s*", re.DOTALL)
_FENCE: Final = re.compile(r"^[ \t]*(?:`{3,}|~{3,})", re.MULTILINE)
_FORMS: Final[dict[str, tuple[type, ...]]] = {
    "any": (object,),
    "object": (dict,),
    "array": (list,),
}


class _NotJson(Exception):
    """Why a text is no JSON, in a few words."""


def json_only(params: Values, _: Values) -> Check:
    """The whole response is one JSON value, in one code fence at most."""
    form, keys, fence = params["form"], params["keys"] or (), params["fence"]

    def check(view: DocumentView) -> Answer:
        try:
            value = _read(_body(view.text, fence=fence))
            _check_form(value, form, keys)
        except _NotJson as problem:
            return Answer(False, str(problem))
        return Answer(True, f"one JSON {_name(value)} and nothing else")

    return check


def _body(text: str, *, fence: bool) -> str:
    fenced = _FENCED.fullmatch(text)
    if fenced and not _FENCE.search(fenced[2]):
        if not fence:
            raise _NotJson("a code fence stands around it, bare JSON asked")
        return fenced[2]
    opened = _FENCE.search(text)
    if opened and text[: opened.start()].strip():
        raise _NotJson(f"text stands before the code fence: {shown(text[: opened.start()])}")
    if opened:
        raise _NotJson("more than one closed code fence with JSON stands in it")
    return text


def _read(text: str) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_object, parse_constant=_constant)
    except RecursionError:
        raise _NotJson("it is nested too deeply to be read") from None
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise _NotJson(f"it is no JSON: {error.msg.lower()} at {where}") from None
    except ValueError:
        raise _NotJson("it holds a number that is too long to be read") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise _NotJson(f"the key {shown(key)} stands twice in one object")
        found[key] = value
    return found


def _constant(name: str) -> Any:
    raise _NotJson(f"{name} is no JSON value")


def _check_form(value: Any, form: str, keys: Iterable[str]) -> None:
    if not isinstance(value, _FORMS[form]):
        raise _NotJson(f"it is a JSON {_name(value)}, an {form} asked")
    for row in value if isinstance(value, list) else [value]:
        for key in keys:
            if not isinstance(row, dict) or key not in row:
                raise _NotJson(f"the key {shown(key)} is missing")


def _name(value: Any) -> str:
    if isinstance(value, dict):
        return "object"
    return "array" if isinstance(value, list) else "value"


TYPES: Final = (
    ConstraintType(
        "json_only",
        "is JSON and nothing else",
        {
            "form": Param(
                Kind.CHOICE,
                "what the JSON is: any value, an object or an array",
                default="any",
                choices=tuple(_FORMS),
            ),
            "keys": Param(Kind.TEXTS, "keys that the object, or each one of the array, has"),
            "fence": Param(Kind.FLAG, "whether a code fence may stand around it", default=True),
        },
        {},
        json_only,
    ),
)
