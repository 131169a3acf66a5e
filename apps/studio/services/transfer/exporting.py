"""Taking a project out: a snapshot of all its rows, streamed by COPY, never held in memory."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from importlib.metadata import version as installed_version
from pathlib import Path
from typing import Any

from django.db import connection, transaction
from django.utils import timezone

from apps.accounts.models import Project, User
from apps.activity import services as activity
from apps.studio.services.transfer import shared
from apps.studio.services.transfer.maps import make_map, map_name, maps_of, run
from apps.studio.services.transfer.plan import (
    SHARED,
    AnyField,
    AnyModel,
    Plan,
    Table,
    column_of,
)
from apps.studio.services.transfer.zipped import AS_IT_IS, Source, write_zip

TEXTS_AT_ONCE = 500

TEXTS = """
WITH mine AS ({calls}), used AS (
    SELECT body_sha256 AS sha256 FROM mine
    UNION SELECT answer_sha256 FROM mine
    UNION SELECT reasoning_sha256 FROM mine
    UNION SELECT slot.value FROM mine, jsonb_each_text(slots) AS slot
    WHERE slot.value NOT LIKE '=%'
)
"""
TRAIL = """
SELECT event.id, event.at, actor.username AS actor, event.verb, event.target_type,
       event.target_id, event.reason, event.detail
FROM activity_auditevent AS event LEFT JOIN accounts_user AS actor ON actor.id = event.actor_id
WHERE event.project_id = {project} ORDER BY event.id
"""


def export_project(project: Project, *, actor: User | None = None) -> Iterator[bytes]:
    """The bytes of a zip with all of the project, in pieces; the trail says that it was made."""
    activity.record(verb="project.exported", target=project, project=project, actor=actor)
    return _pieces(project, Plan(), whole=True)


def export_to(path: Path, project: Project, *, actor: User | None = None) -> int:
    """Write the zip to a file; how many bytes it has."""
    return _write(path, export_project(project, actor=actor))


def export_copy(path: Path, project: Project, plan: Plan) -> int:
    """Write the rows of a plan alone: what a copy is made of."""
    return _write(path, _pieces(project, plan, whole=False))


def _write(path: Path, pieces: Iterable[bytes]) -> int:
    with path.open("wb") as file:
        return sum(file.write(piece) for piece in pieces)


def _pieces(project: Project, plan: Plan, *, whole: bool) -> Iterator[bytes]:
    with _snapshot():
        export = Export(project, plan)
        export.number()
        sources = export.everything() if whole else export.rows()
        yield from write_zip(sources, about=_about(project))


def _about(project: Project) -> dict[str, Any]:
    return {
        "release": installed_version("rubricstudio"),
        "exported_at": timezone.now().isoformat(timespec="seconds"),
        "project": {
            "slug": project.slug,
            "name": project.name,
            "description": project.description,
            "guidelines": project.guidelines,
            "settings": project.settings,
            "created_at": project.created_at.isoformat(),
        },
    }


@contextmanager
def _snapshot() -> Iterator[None]:
    """One view of all tables, whatever others write meanwhile."""
    is_outermost = not connection.in_atomic_block
    with transaction.atomic():
        if is_outermost:
            run("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        yield


@dataclass(frozen=True)
class Export:
    """The rows of a plan as files of JSON lines."""

    project: Project
    plan: Plan

    def number(self) -> None:
        """Give each row that others refer to its number in the file."""
        for model in SHARED:
            make_map(model, shared.used(model, self.project, self.plan))
        for table in self.plan.tables:
            if self.plan.is_numbered(table.model):
                where = self.plan.rows(table, self.project)
                make_map(
                    table.model,
                    f"SELECT id, row_number() OVER (ORDER BY id) FROM {table.rows} WHERE {where}",
                )

    def rows(self) -> Iterator[Source]:
        """People, the installation's rows that are used, and the tables of the plan."""
        yield Source("people.jsonl", partial(_copied, self._people()), counts=False)
        for model in SHARED:
            select = shared.select(model, self.project, map_name(model))
            path = f"{model._meta.label_lower}.jsonl"
            yield Source(path, partial(_copied, select), counts=False)
        for table in self.plan.tables:
            yield Source(
                f"{table.name}.jsonl",
                partial(_copied, self._select(table)),
                tuple(map(column_of, table.carried)),
            )

    def everything(self) -> Iterator[Source]:
        """And the texts of the calls, and the trail to be read."""
        yield from self.rows()
        yield Source("calls.text.jsonl", self._texts)
        trail = TRAIL.format(project=self.project.pk)
        yield Source("trail.jsonl", partial(_copied, trail), counts=False)

    def _select(self, table: Table) -> str:
        """The rows with their references renumbered, in the order of their ids."""
        number = "numbered.wanted AS id, " if self.plan.is_numbered(table.model) else ""
        joins = [f"{table.rows} AS t"]
        if number:
            joins.append(f"JOIN {map_name(table.model)} AS numbered ON numbered.known = t.id")
        columns = [self._column(table, one, joins) for one in table.carried]
        listed = ", ".join(columns)
        return (
            f"SELECT {number}{listed} FROM {' '.join(joins)} "
            f"WHERE {self.plan.rows(table, self.project)} ORDER BY t.id"
        )

    def _column(self, table: Table, one: AnyField, joins: list[str]) -> str:
        column = column_of(one)
        if instead := self.plan.replaced.get((table.name, column)):
            return f"{instead} AS {column}"
        target = table.targets.get(one.attname)
        if target is User:
            joins.append(f"LEFT JOIN accounts_user AS {one.name} ON {one.name}.id = t.{column}")
            return f"{one.name}.username AS {column}"
        if target is not None:
            return self._reference(column, target, joins)
        for references in table.json:
            if references.column == column:
                renumbered = references.renumbered(f"t.{column}", maps_of(self.plan))
                return f"{renumbered} AS {column}"
        return f't."{column}"'

    def _reference(self, column: str, target: AnyModel, joins: list[str]) -> str:
        if not self.plan.is_numbered(target):
            return f"NULL AS {column}"
        joins.append(
            f"LEFT JOIN {map_name(target)} AS of_{column} ON of_{column}.known = t.{column}"
        )
        return f"of_{column}.wanted AS {column}"

    def _people(self) -> str:
        """Everybody whom a row names."""
        named = " UNION ".join(
            f"SELECT {one.column} FROM {table.rows} WHERE {self.plan.rows(table, self.project)}"
            for table, one in self.plan.people_columns()
        )
        return (
            "SELECT username, display_name FROM accounts_user "
            f"WHERE id IN ({named}) ORDER BY username"
        )

    def _texts(self) -> Iterator[bytes]:
        """Each text that a call leans on, readable; null where its payload was dropped."""
        calls = f"SELECT * FROM calls_call WHERE project_id = {self.project.pk:d}"
        select = (
            TEXTS.replace("{calls}", calls)
            + "SELECT sha256, characters, data, used_at FROM calls_text JOIN used USING (sha256) "
            "ORDER BY sha256"
        )
        # A named cursor of psycopg's own: Django's are for querysets alone.
        with connection.cursor() as cursor:
            cursor.execute(f"DECLARE texts NO SCROLL CURSOR FOR {select}")
            while rows := self._some_texts(cursor):
                yield from map(_text_line, rows)
            cursor.execute("CLOSE texts")

    @staticmethod
    def _some_texts(cursor: Any) -> list[Any]:
        cursor.execute(f"FETCH {TEXTS_AT_ONCE} FROM texts")
        return list(cursor.fetchall())


def _text_line(row: tuple[str, int, bytes | None, datetime]) -> bytes:
    sha256, characters, data, used_at = row
    # Half surrogate pairs, which UTF-8 cannot hold, are written as escapes.
    text = None if data is None else zlib.decompress(data).decode("utf-8", "surrogatepass")
    line = {
        "sha256": sha256,
        "characters": characters,
        "used_at": used_at.isoformat(),
        "text": text,
    }
    try:
        return json.dumps(line, ensure_ascii=False).encode() + b"\n"
    except UnicodeEncodeError:
        return json.dumps(line).encode() + b"\n"


def _copied(select: str) -> Iterator[bytes]:
    rows = f"SELECT row_to_json(whole_row) FROM ({select}) AS whole_row"
    statement = f"COPY ({rows}) TO STDOUT {AS_IT_IS}"
    with connection.cursor() as cursor, cursor.copy(statement) as copy:
        yield from copy
