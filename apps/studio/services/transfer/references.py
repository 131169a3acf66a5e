"""Ids of rows that stand inside JSON, and how SQL gives them their other number.

`{map:LABEL}` is a table with the columns `known` and `wanted`; `{value}` is the JSON. What has no
other number falls away.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from django.db.models import Model

from apps.calls.models import Call
from apps.judging.models import JudgeRun
from apps.specs.models import Spec

MAP = re.compile(r"\{map:([\w.]+)\}")


@dataclass(frozen=True)
class JsonReferences:
    """The column, the tables that ids in it refer to, and the expression that renumbers them."""

    column: str
    targets: tuple[type[Model], ...]
    sql: str

    def renumbered(self, value: str, map_of: Callable[[str], str]) -> str:
        """The expression for this value; `map_of` gives the table for the label of a model."""
        return MAP.sub(lambda found: map_of(found[1]), self.sql.replace("{value}", value))


JOB_ARGUMENTS = JsonReferences(
    "arguments",
    (JudgeRun,),
    # An upload is a file here, which is not carried.
    """({value} - 'upload') || CASE WHEN {value} ? 'run_id' THEN jsonb_build_object('run_id', (
        SELECT wanted FROM {map:judging.judgerun} WHERE known = ({value} ->> 'run_id')::bigint
    )) ELSE '{}' END""",
)

_CALLS_OF_A_ROLE = """coalesce((
    SELECT jsonb_agg(numbered.wanted ORDER BY one.place)
    FROM jsonb_array_elements_text(role.value -> 'calls') WITH ORDINALITY AS one (id, place)
    JOIN {map:calls.call} AS numbered ON numbered.known = one.id::bigint
), '[]')"""
_ASKED = f"""coalesce((
    SELECT jsonb_object_agg(role.key, CASE
        WHEN jsonb_typeof(role.value -> 'calls') = 'array'
        THEN role.value || jsonb_build_object('calls', {_CALLS_OF_A_ROLE})
        ELSE role.value END)
    FROM jsonb_each({{value}} -> 'asked') AS role
), '{{}}')"""
PROVENANCE = JsonReferences(
    "provenance",
    (Call, Spec),
    f"""{{value}}
    || CASE WHEN jsonb_typeof({{value}} -> 'asked') = 'object'
       THEN jsonb_build_object('asked', {_ASKED}) ELSE '{{}}' END
    || CASE WHEN {{value}} ? 'edited_from' THEN jsonb_build_object('edited_from', (
        SELECT wanted FROM {{map:specs.spec}}
        WHERE known = ({{value}} ->> 'edited_from')::bigint
       )) ELSE '{{}}' END""",
)
