from django.db import migrations

from apps.activity.schema import guard


class Migration(migrations.Migration):
    dependencies = [("rewards", "0001_initial"), ("activity", "0002_guards")]

    operations = [
        guard("rewards_rewardconfig"),
        guard("rewards_reward"),
        guard("rewards_rewardrun", movable=["summary", "finished_at"]),
    ]
