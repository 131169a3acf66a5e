from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("judging", "0002_guards")]

    operations = [
        migrations.AddField(
            "shard", "cells", models.PositiveIntegerField(default=0), preserve_default=False
        ),
        migrations.AddField("shard", "in_flight", models.PositiveIntegerField(default=0)),
        migrations.AddField(
            "checkrun",
            "inputs_sha256",
            models.CharField(max_length=64, default=""),
            preserve_default=False,
        ),
    ]
