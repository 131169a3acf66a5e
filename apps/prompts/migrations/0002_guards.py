from django.db import migrations

from apps.activity.schema import guard


class Migration(migrations.Migration):
    dependencies = [("prompts", "0001_initial"), ("activity", "0002_guards")]

    operations = [
        guard("prompts_promptrevision"),
        guard("prompts_passage"),
        guard("prompts_reference"),
        guard("prompts_reject"),
    ]
