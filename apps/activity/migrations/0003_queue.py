"""The queue's schema (pgmq); where it is there already, it stays as it is."""

from django.db import migrations

from rubricstudio.local.queue import install_queue


def install(apps, schema_editor):
    install_queue(schema_editor.connection.connection)


class Migration(migrations.Migration):
    dependencies = [("activity", "0002_guards")]

    operations = [migrations.RunPython(install, migrations.RunPython.noop)]
