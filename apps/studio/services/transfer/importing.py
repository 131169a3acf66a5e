"""Bringing a project in from its file: one transaction, all of it or nothing.

The rows are laid beside the tables as they are, each gets an id, and one statement a table puts
them in with the ids of the rows that they refer to. What the file says about itself is checked:
its hashes, that no reference leads out of it, that specs and bundles are what their ids name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import psycopg
from django.db import DatabaseError, connection, transaction
from django.utils.translation import gettext as _

from apps.accounts import services as accounts
from apps.accounts.models import Project, User
from apps.activity import services as activity
from apps.activity.errors import BadInput
from apps.calls import services as calls
from apps.studio.services.transfer import shared
from apps.studio.services.transfer.checking import check_bundles, check_specs
from apps.studio.services.transfer.maps import fill_map, make_map, map_name, maps_of, run
from apps.studio.services.transfer.plan import SHARED, AnyField, Plan, Table, column_of
from apps.studio.services.transfer.settling import settle_copy, settle_import
from apps.studio.services.transfer.zipped import AS_IT_IS, ProjectFile

PEOPLE, TEXTS = "people.jsonl", "calls.text.jsonl"
TEXTS_AT_ONCE = 500
Watch = Callable[[int], None]


class Imported(NamedTuple):
    """What came in: the project, how many rows, and who was created switched off."""

    project: Project
    rows: int
    people: tuple[str, ...]


def unwatched(rows: int) -> None:
    """Nobody looks on."""


@transaction.atomic
def import_project(
    path: Path, *, slug: str, name: str = "", actor: User | None = None, watch: Watch = unwatched
) -> Imported:
    """A new project with all that the file holds, administered by the actor alone.

    People whom it names and who are not here are created switched off. What was under way when it
    was exported stands still. `watch` is told how many rows have been read. Raises BadInput for a
    file that cannot be used, and Conflict for a slug that is taken.
    """
    with ProjectFile(path) as file:
        said = file.manifest["project"]
        project = _new_project(said, slug, name or str(said.get("name") or slug), actor)
        arrival = Arrival(project, file, Plan(), watch)
        with _told(path):
            people = arrival.bring_people()
            arrival.bring_rows()
            arrival.bring_texts()
            settle_import(project)
            check_specs(project)
        check_bundles(project)
        activity.record(
            verb="project.imported",
            target=project,
            project=project,
            actor=actor,
            detail={
                "from": said["slug"],
                "content_sha256": file.manifest.get("content_sha256", ""),
                "rows": arrival.rows,
                "people_created": people,
            },
        )
    return Imported(project, arrival.rows, tuple(people))


@transaction.atomic
def import_copy(
    path: Path,
    *,
    source: Project,
    slug: str,
    name: str,
    actor: User | None,
    plan: Plan,
    watch: Watch = unwatched,
) -> Imported:
    """A new project with the rows of a plan that were taken out of another one here."""
    with ProjectFile(path) as file:
        project = _new_project(file.manifest["project"], slug, name, actor)
        arrival = Arrival(project, file, plan, watch)
        with _told(path):
            arrival.bring_rows()
            settle_copy(project, source=source)
    return Imported(project, arrival.rows, ())


def _new_project(said: Any, slug: str, name: str, actor: User | None) -> Project:
    project = accounts.create_project(
        slug=slug, name=name[:150], description=str(said.get("description") or ""), actor=actor
    )
    project.guidelines = str(said.get("guidelines") or "")
    project.save(update_fields=["guidelines"])
    settings = dict(said.get("settings") or {})
    accounts.change_settings(project=project, changes=settings, actor=actor)
    return project


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """What the database refuses of a file, as a sentence."""
    try:
        yield
    except (DatabaseError, psycopg.Error) as error:
        cause = error if isinstance(error, psycopg.Error) else error.__cause__
        diagnosis = getattr(cause, "diag", None)
        reason = getattr(diagnosis, "message_primary", None) or str(error)
        raise BadInput(
            _("A row of %(name)s does not fit (%(reason)s): export the project again.")
            % {"name": path.name, "reason": reason}
        ) from error
    except (KeyError, TypeError, ValueError) as error:
        raise BadInput(
            _("A row of %(name)s lacks what it needs (%(reason)s): export the project again.")
            % {"name": path.name, "reason": f"{type(error).__name__}: {error}"}
        ) from error


@dataclass
class Arrival:
    """The rows of a file on their way into the tables of a new project."""

    project: Project
    file: ProjectFile
    plan: Plan
    watch: Watch
    rows: int = 0

    def bring_people(self) -> list[str]:
        """Who is not here is created switched off, so that nobody comes in by a file."""
        created = []
        for row in self.file.lines(PEOPLE):
            username = str(row["username"])
            if not User.objects.filter(username=username).exists():
                accounts.create_user(
                    username=username,
                    display_name=str(row.get("display_name") or ""),
                    is_active=False,
                )
                created.append(username)
        return created

    def bring_texts(self) -> None:
        """What the calls said, some at a time."""
        lines = self.file.lines(TEXTS)
        while some := list(islice(lines, TEXTS_AT_ONCE)):
            calls.adopt_texts(project=self.project, rows=some)

    def bring_rows(self) -> None:
        for model in SHARED:
            lines = list(self.file.lines(f"{model._meta.label_lower}.jsonl"))
            fill_map(model, shared.adopt(model, self.project, lines).items())
        for table in self.plan.tables:
            self._stage(table)
        for table in self.plan.tables:
            self._insert(table)
        run("SET CONSTRAINTS ALL IMMEDIATE")
        run("SET CONSTRAINTS ALL DEFERRED")

    def _stage(self, table: Table) -> None:
        """Lay the lines beside the table, and give each row that others refer to its id."""
        stage = _stage_name(table)
        run(f"DROP TABLE IF EXISTS pg_temp.{stage}")
        run(
            f"CREATE TEMP TABLE {stage} "
            "(place bigint GENERATED ALWAYS AS IDENTITY, line jsonb NOT NULL) ON COMMIT DROP"
        )
        path = f"{table.name}.jsonl"
        if path not in self.file.entries:
            raise BadInput(
                _("The file %(path)s of the export is missing: export the project again.")
                % {"path": path}
            )
        statement = f"COPY {stage} (line) FROM STDIN {AS_IT_IS}"
        with connection.cursor() as cursor, cursor.copy(statement) as copy:
            for piece in self.file.pieces(path):
                copy.write(piece)
                self.watch(self.rows + 1)
        self.rows += self.file.entries[path].rows
        run(f"ANALYZE {stage}")
        if self.plan.is_numbered(table.model):
            make_map(
                table.model,
                "SELECT (line ->> 'id')::bigint, "
                f"nextval(pg_get_serial_sequence('{table.rows}', 'id')) "
                f"FROM (SELECT line FROM {stage} ORDER BY place) AS ordered",
            )

    def _insert(self, table: Table) -> None:
        columns = self._columns(table)
        defaults: list[Any] = []
        joins, names, values = [], ["project_id"] if table.is_root else [], []
        if table.is_root:
            values.append(str(self.project.pk))
        if self.plan.is_numbered(table.model):
            names.append("id")
            values.append("numbered.wanted")
            joins.append(
                f"JOIN {map_name(table.model)} AS numbered "
                "ON numbered.known = (s.line ->> 'id')::bigint"
            )
        for one in columns:
            names.append(column_of(one))
            values.append(self._value(table, one, joins, defaults))
        listed = ", ".join(f'"{name}"' for name in names)
        with connection.cursor() as cursor:
            cursor.execute(
                f"INSERT INTO {table.rows} ({listed}) SELECT {', '.join(values)} "
                f"FROM {_stage_name(table)} AS s CROSS JOIN LATERAL "
                f"jsonb_populate_record(NULL::{table.rows}, s.line{self._stripped(table)}) AS r "
                f"{' '.join(joins)} ORDER BY s.place",
                defaults or None,
            )
            self._check_complete(table, cursor.rowcount)
        self._check_references(table)

    def _columns(self, table: Table) -> list[AnyField]:
        """The columns to fill. A newer version's file may have one that is not here."""
        here = {one.column for one in table.fields}
        listed = self.file.entries[f"{table.name}.jsonl"].columns
        unknown = sorted(set(listed) - here)
        if unknown:
            raise BadInput(
                _(
                    "The export has %(column)s in %(table)s, which this version does not know: "
                    "update this installation first."
                )
                % {"column": unknown[0], "table": table.name}
            )
        return table.carried

    def _value(self, table: Table, one: AnyField, joins: list[str], defaults: list[Any]) -> str:
        """What goes into a column: the id of a reference, a person, or what the line holds."""
        column, target = column_of(one), table.targets.get(one.attname)
        if target is User:
            joins.append(
                f"LEFT JOIN accounts_user AS of_{column} "
                f"ON of_{column}.username = s.line ->> '{column}'"
            )
            return f"of_{column}.id"
        if target is not None:
            if not self.plan.is_numbered(target):
                return "NULL"
            joins.append(
                f"LEFT JOIN {map_name(target)} AS of_{column} "
                f"ON of_{column}.known = (s.line ->> '{column}')::bigint"
            )
            return f"of_{column}.wanted"
        if column not in self.file.entries[f"{table.name}.jsonl"].columns:
            defaults.append(one.get_db_prep_save(one.get_default(), connection))
            return f"CAST(%s AS {one.db_type(connection)})"
        for references in table.json:
            if references.column == column:
                return references.renumbered(f"r.{column}", maps_of(self.plan))
        return f'r."{column}"'

    @staticmethod
    def _stripped(table: Table) -> str:
        """Names of people stand where the table has numbers."""
        people = [one.column for one in table.fields if one.related_model is User]
        return "".join(f" - '{column}'" for column in people)

    def _check_complete(self, table: Table, inserted: int) -> None:
        rows = self.file.entries[f"{table.name}.jsonl"].rows
        if inserted != rows:
            raise BadInput(
                _("%(table)s has %(rows)d rows, of which %(inserted)d fit: export it again.")
                % {"table": table.name, "rows": rows, "inserted": inserted}
            )

    def _check_references(self, table: Table) -> None:
        """A reference that may be empty must not become so because it leads nowhere."""
        for column, target in table.targets.items():
            if target in (Project, User) or not self.plan.is_numbered(target):
                continue
            with connection.cursor() as cursor:
                cursor.execute(
                    f"SELECT s.place FROM {_stage_name(table)} AS s "
                    f"LEFT JOIN {map_name(target)} AS m "
                    f"ON m.known = (s.line ->> '{column}')::bigint "
                    f"WHERE s.line ->> '{column}' IS NOT NULL AND m.known IS NULL LIMIT 1"
                )
                lost = cursor.fetchone()
            if lost is not None:
                raise BadInput(
                    _("Line %(line)d of %(table)s refers by %(column)s to a row that is missing.")
                    % {"line": lost[0], "table": table.name, "column": column}
                )


def _stage_name(table: Table) -> str:
    return f"stage_{table.rows}"
