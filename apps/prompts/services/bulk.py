"""Writing many rows at once: ids reserved ahead, rows by COPY, no query per row."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from django.db import connection
from django.db.models import Model
from psycopg import sql

from apps.accounts.models import Project

RESERVE = """
WITH sequence AS MATERIALIZED (SELECT pg_get_serial_sequence(%s, 'id')::regclass AS name)
SELECT nextval(name) FROM sequence, generate_series(1, %s)
"""


def lock_imports(project: Project) -> None:
    """One import at a time in a project, until the transaction ends: keys are looked up, then
    written, and nobody may write them in between.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended('import', %s))", [project.pk])


def reserve_ids(model: type[Model], count: int) -> list[int]:
    """Ids that the table will not give to anybody else."""
    if not count:
        return []
    with connection.cursor() as cursor:
        cursor.execute(RESERVE, [model._meta.db_table, count])
        return [row[0] for row in cursor.fetchall()]


def copy_rows(model: type[Model], columns: Sequence[str], rows: Collection[Sequence[Any]]) -> None:
    """Append rows to the table of a model; JSON columns take JSON text."""
    if not rows:
        return
    statement = sql.SQL("COPY {} ({}) FROM STDIN").format(
        sql.Identifier(model._meta.db_table), sql.SQL(", ").join(map(sql.Identifier, columns))
    )
    with connection.cursor() as cursor, cursor.copy(statement) as copy:
        for row in rows:
            copy.write_row(row)


def check_now() -> None:
    """Check the foreign keys of what was written so far, while the next batch is made ready.

    Left to the end of the transaction, the checks of all rows would wait for nothing but
    themselves.
    """
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE; SET CONSTRAINTS ALL DEFERRED")
