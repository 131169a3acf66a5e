from django.db import migrations

from apps.activity.schema import GUARD_FUNCTION, guard


class Migration(migrations.Migration):
    dependencies = [("activity", "0001_initial")]

    operations = [
        migrations.RunSQL(GUARD_FUNCTION, "DROP FUNCTION rubricstudio_guard()"),
        guard("activity_auditevent"),
        guard("activity_seal"),
    ]
