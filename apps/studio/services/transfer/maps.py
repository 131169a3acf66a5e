"""Two numbers of each row, side by side, for the time of one transaction."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from django.db import connection

from apps.studio.services.transfer.plan import AnyModel, Plan

NOTHING = "(SELECT NULL::bigint AS known, NULL::bigint AS wanted WHERE false)"


def run(statement: str) -> None:
    """A statement that is all ours."""
    with connection.cursor() as cursor:
        cursor.execute(statement)


def map_name(model: AnyModel) -> str:
    """The table with the number that is known of a row, and the one that is wanted."""
    return f"map_{model._meta.db_table}"


def make_map(model: AnyModel, select: str) -> None:
    """The map that a SELECT gives."""
    name = map_name(model)
    run(f"DROP TABLE IF EXISTS pg_temp.{name}")
    run(f"CREATE TEMP TABLE {name} (known bigint PRIMARY KEY, wanted bigint) ON COMMIT DROP")
    run(f"INSERT INTO {name} {select}")
    run(f"ANALYZE {name}")


def fill_map(model: AnyModel, pairs: Iterable[tuple[int, int]]) -> None:
    """The map of these pairs."""
    make_map(model, "SELECT 0, 0 WHERE false")
    with connection.cursor() as cursor:
        cursor.executemany(f"INSERT INTO {map_name(model)} VALUES (%s, %s)", list(pairs))


def maps_of(plan: Plan) -> Callable[[str], str]:
    """The map for the label of a model; an empty one where the plan does not carry it."""
    numbered = {one.name: one.model for one in plan.tables if plan.is_numbered(one.model)}
    return lambda label: map_name(numbered[label]) if label in numbered else NOTHING
