from django.db import migrations

from apps.activity.schema import guard


class Migration(migrations.Migration):
    dependencies = [("bundles", "0001_initial"), ("activity", "0002_guards")]

    operations = [
        guard("bundles_bundle", movable=["retracted_at", "retracted_reason"]),
        guard("bundles_bundlespec"),
        guard("bundles_bundlefile"),
        guard("bundles_bundlechunk"),
    ]
