"""Whether the database lacks migrations, found out without loading Django."""

import contextlib
import importlib.util
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import psycopg

from rubricstudio.local import paths
from rubricstudio.local.errors import LocalError

MIGRATION_LOCK = 0x6D696772  # "migr": commands that start together migrate one after the other


class Migration(NamedTuple):
    """A migration as Django's table names it."""

    app: str
    name: str


def migrate_if_needed(*, log: Path | None = None) -> bool:
    """Run ``manage.py migrate`` when migrations are pending; whether it ran.

    Its messages go to ``log``, without one to standard error.
    """
    with _connect() as connection:
        connection.execute("SELECT pg_advisory_lock(%s)", [MIGRATION_LOCK])
        is_needed = not migrations_on_disk(applied := applied_in(connection)) <= applied
        if is_needed:
            _migrate(log)
    return is_needed


def _connect() -> psycopg.Connection:
    try:
        return psycopg.connect(paths.database_url(), autocommit=True, connect_timeout=10)
    except (psycopg.OperationalError, psycopg.ProgrammingError) as error:
        named = "The database that DATABASE_URL names" if os.environ.get("DATABASE_URL") else ""
        reason = " ".join(str(error).split())
        raise LocalError(f"{named or 'The database'} does not answer: {reason}") from None


def migrations_on_disk(applied: set[Migration]) -> set[Migration]:
    """The project's own migrations, and Django's for those of its apps that are in use."""
    found = set(_migrations_in(paths.CHECKOUT / "apps"))
    django = importlib.util.find_spec("django")
    if django and django.origin:
        in_use = {migration.app for migration in applied}
        theirs = _migrations_in(Path(django.origin).parent / "contrib")
        found |= {migration for migration in theirs if migration.app in in_use}
    return found


def _migrations_in(folder: Path) -> Iterator[Migration]:
    for file in folder.glob("*/migrations/*.py"):
        if file.stem != "__init__":
            yield Migration(app=file.parent.parent.name, name=file.stem)


def applied_in(connection: psycopg.Connection) -> set[Migration]:
    cursor = connection.execute("SELECT to_regclass('django_migrations') IS NOT NULL")
    if cursor.fetchone() != (True,):
        return set()
    rows = connection.execute("SELECT app, name FROM django_migrations")
    return {Migration(*row) for row in rows}


def _migrate(log: Path | None) -> None:
    command = [sys.executable, str(paths.CHECKOUT / "manage.py"), "migrate", "--noinput"]
    command += ["--skip-checks"]  # they load every page, and are for those who write them
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    with open(log, "ab") if log else contextlib.nullcontext(sys.stderr) as messages:
        answer = subprocess.run(
            command, stdin=subprocess.DEVNULL, stdout=messages, stderr=messages, env=environment
        )
    if answer.returncode:
        where = f"the log is {log}" if log else "its messages are above"
        raise LocalError(f"The database could not be brought up to date; {where}.")
