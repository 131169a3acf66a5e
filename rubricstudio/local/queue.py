"""The queue's tables inside our own database: pgmq as plain SQL, no extension, no superuser."""

from typing import Any

from pgmq.install import get_embedded_install_sql
from psycopg import Connection

INSTALL_LOCK = 0x70676D71  # "pgmq": any number will do that nothing else locks


def install_queue(connection: Connection[Any]) -> bool:
    """Create the pgmq schema unless it is there already; whether it was created.

    pgmq's script must not run twice, so whoever comes second waits and finds the schema. In a
    migration ``connection`` is ``schema_editor.connection.connection``.
    """
    with connection.transaction(), connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [INSTALL_LOCK])
        cursor.execute("SELECT to_regnamespace('pgmq') IS NULL")
        is_missing = cursor.fetchone() == (True,)
        if is_missing:
            cursor.execute(get_embedded_install_sql().encode())
    return is_missing
