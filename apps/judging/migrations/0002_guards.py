from django.db import migrations

from apps.activity.schema import guard


class Migration(migrations.Migration):
    dependencies = [("judging", "0001_initial"), ("activity", "0002_guards")]

    operations = [
        guard("judging_runrollout"),
        guard("judging_verdict"),
        guard("judging_comparison"),
        guard("judging_checkrun", movable=["finished_at"]),
        guard("judging_checkoutcome"),
    ]
