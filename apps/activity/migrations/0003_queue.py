"""The queue's schema (pgmq), from the SQL in its package: no extension, no superuser.

It is installed once: where the schema is there already, it stays as it is.
"""

from django.db import migrations
from pgmq.install import get_embedded_install_sql

# Two processes that migrate at once must not both install it.
ADVISORY_LOCK = 7_310_002


def install(apps, schema_editor):
    with schema_editor.connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [ADVISORY_LOCK])
        cursor.execute("SELECT to_regnamespace('pgmq') IS NOT NULL")
        if not cursor.fetchone()[0]:
            cursor.execute(get_embedded_install_sql())


class Migration(migrations.Migration):
    dependencies = [("activity", "0002_guards")]

    operations = [migrations.RunPython(install, migrations.RunPython.noop)]
