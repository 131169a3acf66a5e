from django.db import migrations

from apps.accounts.read_only import FUNCTION, TRIGGERS


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0003_failed_sign_ins"),
        ("activity", "0004_drafts"),
    ]

    operations = [
        migrations.RunSQL(FUNCTION, "DROP FUNCTION rubricstudio_open_project()"),
        *(
            migrations.RunSQL(
                f"CREATE TRIGGER {table}_open_project BEFORE {when} ON {table} "
                "FOR EACH ROW EXECUTE FUNCTION rubricstudio_open_project();",
                f"DROP TRIGGER {table}_open_project ON {table};",
            )
            for table, when in TRIGGERS.items()
        ),
    ]
