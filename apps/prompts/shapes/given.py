"""Published constraints and rubric rows: kept with the prompt as they came, their shape checked.

What they mean is for make_specs. Each is an object with its `kind`; nulls in the arguments of a
constraint are dropped, since they only fill the columns of other constraints.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from django.utils.translation import gettext as _

from apps.prompts.reading import MissingColumn, RowError
from apps.prompts.shapes.columns import Fields, structured
from apps.prompts.shapes.kinds import Shape

Given = dict[str, Any]


def read_given(fields: Fields, shape: Shape) -> Given:
    """What the row publishes about its prompt, or nothing. Raises RowError for a broken shape."""
    for kind, read in READERS.items():
        if shape in (Shape.AUTO, kind):
            given = read(fields)
            if given:
                return {"kind": kind.value, **given}
            if shape is kind:
                raise MissingColumn(
                    _("no %(columns)s: a row of %(kind)s has it.")
                    % {"columns": NEEDED[kind], "kind": kind.value}
                )
    return {}


def _ifeval(fields: Fields) -> Given | None:
    field = fields.peek("instruction_id_list")
    if field is None:
        return None
    names = structured(fields.use(field))
    arguments = structured(fields.take("kwargs"))
    if not _is_list_of(names, str) or not names:
        raise RowError(_("instruction_id_list is not a list of names."))
    arguments = [{} for _name in names] if arguments is None else arguments
    if not isinstance(arguments, list) or len(arguments) != len(names):
        raise RowError(
            _("instruction_id_list has %(count)d names, and kwargs is no list of as many.")
            % {"count": len(names)}
        )
    return {"instruction_id_list": names, "kwargs": [_without_nulls(one) for one in arguments]}


def _without_nulls(arguments: Any) -> dict[str, Any]:
    arguments = {} if arguments is None else structured(arguments)
    if not isinstance(arguments, dict):
        raise RowError(_("an entry of kwargs is not an object."))
    return {name: value for name, value in arguments.items() if value is not None}


def _healthbench(fields: Fields) -> Given | None:
    rows = _rows(fields, "rubrics", told_by="criterion")
    for place, row in enumerate(rows, 1):
        if not isinstance(row.get("criterion"), str) or not _is_number(row.get("points")):
            raise RowError(
                _("rubrics %(place)d: a row has a criterion (text) and points (a number).")
                % {"place": place}
            )
    return {"rubrics": rows} if rows else None


def _writingbench(fields: Fields) -> Given | None:
    rows = _rows(fields, "checklist", told_by="name")
    for place, row in enumerate(rows, 1):
        if not all(isinstance(row.get(name), str) for name in ("name", "criteria_description")):
            raise RowError(
                _("checklist %(place)d: a row has a name and a criteria_description.")
                % {"place": place}
            )
    return {"checklist": rows} if rows else None


def _rows(fields: Fields, part: str, *, told_by: str) -> list[dict[str, Any]]:
    """The rows of a column; none where the first lacks the key that tells the shape."""
    field = fields.peek(part)
    rows: Any = structured(field.value) if field else None
    if field is None or not _is_list_of(rows, dict) or told_by not in rows[0]:
        return []
    fields.use(field)
    return list(rows)


def _is_list_of(value: Any, kind: type) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(one, kind) for one in value)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


READERS: dict[Shape, Callable[[Fields], Given | None]] = {
    Shape.IFEVAL: _ifeval,
    Shape.HEALTHBENCH: _healthbench,
    Shape.WRITINGBENCH: _writingbench,
}
NEEDED = {
    Shape.IFEVAL: "instruction_id_list",
    Shape.HEALTHBENCH: "rubrics",
    Shape.WRITINGBENCH: "checklist",
}
