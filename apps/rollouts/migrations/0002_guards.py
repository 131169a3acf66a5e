from django.db import migrations

from apps.activity.schema import guard


class Migration(migrations.Migration):
    dependencies = [("rollouts", "0001_initial"), ("activity", "0002_guards")]

    operations = [
        guard("rollouts_rollout"),
        guard("rollouts_rolloutgroup"),
        guard("rollouts_batch"),
    ]
