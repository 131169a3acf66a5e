from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("calls", "0002_guards")]

    operations = [
        migrations.RemoveField(model_name="call", name="body"),
        migrations.AddField(
            model_name="call",
            name="body_sha256",
            field=models.CharField(default="", max_length=64),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name="call", name="refusal", field=models.TextField(blank=True)
        ),
        migrations.AddField(
            model_name="endpointlease",
            name="wanted",
            field=models.PositiveIntegerField(default=0),
        ),
        migrations.AddField(
            model_name="modelrole",
            name="origin",
            field=models.CharField(
                choices=[
                    ("environment", "From the environment"),
                    ("person", "Entered by a person"),
                ],
                default="person",
                max_length=11,
            ),
        ),
        migrations.AddIndex(
            model_name="call", index=models.Index(fields=["id"], name="calls_call_by_id")
        ),
    ]
