"""Responses in a file of JSON lines, checked row by row, without a server."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from rubricstudio.core.checkers import Checklist, DocumentView
from rubricstudio.core.checkers.given import instruction_constraints
from rubricstudio.core.errors import CoreError
from rubricstudio.core.types import IFEVAL, Constraint, Json
from rubricstudio.scoring.rows import RowError, read_rows, unless_wrong

Result = dict[str, Json]


@dataclass(frozen=True, slots=True)
class Reading:
    """How rows are read: the dialect of what names none, and whether loosely."""

    dialect: str
    loose: bool = False


def check_lines(lines: Iterable[bytes], reading: Reading) -> Iterator[Result]:
    """The result of every line that is not blank, in order.

    ``follow`` and ``reasons`` have one entry per constraint, ``null`` where there is no answer. A
    line that is no row has none of them, and an ``error`` with its number.
    """
    for number, row in read_rows(lines):
        try:
            yield _check(unless_wrong(row), reading)
        except (RowError, CoreError) as error:
            yield {"follow": [], "reasons": [], "error": f"line {number}: {error}"}


def _check(row: Mapping[str, Any], reading: Reading) -> Result:
    if "response" not in row:
        raise RowError("it has no response")
    response = "" if row["response"] is None else row["response"]
    if not isinstance(response, str):
        raise RowError(f"its response is {response!r:.40}, and no text")
    outcomes = Checklist(_constraints(row, reading)).check(DocumentView(response))
    return {
        "follow": [None if one.score is None else bool(one.score) for one in outcomes],
        "reasons": [one.reason for one in outcomes],
    }


def _constraints(row: Mapping[str, Any], reading: Reading) -> list[Constraint]:
    named = [name for name in ("instruction_id_list", "constraints") if row.get(name) is not None]
    if len(named) != 1:
        both = "both" if named else "neither"
        raise RowError(f"it has {both} of instruction_id_list and constraints; give one of them")
    asked = _list(row, named[0])
    if named == ["constraints"]:
        found = [_constraint(one, reading.dialect) for one in asked]
    else:
        ids = [_text(one) for one in asked]
        kwargs = [None] * len(ids) if row.get("kwargs") is None else _list(row, "kwargs")
        found = instruction_constraints(ids, kwargs, dialect=reading.dialect)
    return [_loosened(one) for one in found] if reading.loose else found


def _list(row: Mapping[str, Any], name: str) -> list[Any]:
    value = row[name]
    if not isinstance(value, list):
        raise RowError(f"its {name} is {value!r:.40}, and no list")
    return value


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise RowError(f"an instruction id is {value!r:.40}, and no text")
    return value


def _constraint(value: object, dialect: str) -> Constraint:
    if not isinstance(value, dict):
        raise RowError(f"a constraint is {value!r:.40}, and no object with a type")
    return Constraint.from_dict({"dialect": dialect, **value})


def _loosened(constraint: Constraint) -> Constraint:
    if constraint.dialect != IFEVAL:
        return constraint
    return replace(constraint, options={"loose": True, **constraint.options})
