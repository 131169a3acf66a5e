"""The month partitions of the calls, made ahead of time.

What was stored while a month had no partition lies in the default one; making the partition moves
it over.
"""

from __future__ import annotations

from datetime import UTC, date, datetime

from django.db import connection, transaction

from apps.activity.schema import PURGE_SETTING

MONTHS_AHEAD = 2
LOCK = 0x63616C6C  # one process at a time looks and creates


@transaction.atomic
def ensure_partitions(*, today: date | None = None, ahead: int = MONTHS_AHEAD) -> list[str]:
    """Make the partitions of this month and the next ones; the names of the new ones."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [LOCK])
    start = (today or datetime.now(UTC).date()).replace(day=1)
    made = []
    for _month in range(ahead + 1):
        end = _next_month(start)
        name = f"calls_call_{start:%Y_%m}"
        if not _is_there(name):
            _make(name, start, end)
            made.append(name)
        start = end
    return made


def _is_there(name: str) -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT to_regclass(%s) IS NOT NULL", [name])
        return bool(cursor.fetchone()[0])


def _make(name: str, start: date, end: date) -> None:
    """The month is one of UTC. Names and dates are ours, so they stand in the SQL as they are."""
    bounds = f"'{start} 00:00+00'", f"'{end} 00:00+00'"
    with connection.cursor() as cursor:
        cursor.execute("LOCK TABLE calls_call_rest IN ACCESS EXCLUSIVE MODE")
        cursor.execute(f"CREATE TABLE {name} (LIKE calls_call INCLUDING CONSTRAINTS)")
        cursor.execute(f"SET LOCAL {PURGE_SETTING} = 'on'")
        cursor.execute(
            f"WITH moved AS (DELETE FROM calls_call_rest "  # noqa: S608 - see above
            f"WHERE at >= {bounds[0]} AND at < {bounds[1]} RETURNING *) "
            f"INSERT INTO {name} SELECT * FROM moved"
        )
        cursor.execute(f"SET LOCAL {PURGE_SETTING} = 'off'")
        cursor.execute(
            f"ALTER TABLE calls_call ATTACH PARTITION {name} "
            f"FOR VALUES FROM ({bounds[0]}) TO ({bounds[1]})"
        )


def _next_month(start: date) -> date:
    year, month = divmod(start.year * 12 + start.month, 12)
    return date(year, month + 1, 1)
