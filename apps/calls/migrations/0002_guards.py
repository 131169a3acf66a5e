from django.db import migrations

from apps.activity.schema import guard


class Migration(migrations.Migration):
    dependencies = [("calls", "0001_initial"), ("activity", "0002_guards")]

    operations = [
        guard("calls_templateversion"),
        guard("calls_call"),
        guard("calls_text", movable=["data"]),
    ]
