from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("rewards", "0002_guards")]

    operations = [
        migrations.AddField(
            "rewardrun",
            "inputs_sha256",
            models.CharField(max_length=64, default=""),
            preserve_default=False,
        ),
        migrations.AddConstraint(
            "rewardrun",
            models.UniqueConstraint(
                fields=["project", "inputs_sha256"], name="rewards_equal_inputs_once"
            ),
        ),
    ]
