import django.db.models.deletion
from django.db import migrations, models

from apps.activity.schema import guard


class Migration(migrations.Migration):
    dependencies = [
        ("activity", "0002_guards"),
        ("prompts", "0002_guards"),
        ("specs", "0002_guards"),
    ]

    operations = [
        migrations.AddField(
            model_name="constraint",
            name="dialect",
            field=models.CharField(default="studio/1", max_length=20),
        ),
        migrations.AddField(
            model_name="spec",
            name="job",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="activity.job",
            ),
        ),
        migrations.CreateModel(
            name="SpecFailure",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("cause", models.CharField(max_length=30)),
                ("reason", models.TextField()),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "job",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="activity.job",
                    ),
                ),
                (
                    "prompt_revision",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="spec_failures",
                        to="prompts.promptrevision",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=["job", "prompt_revision"], name="specs_one_failure_a_job"
                    )
                ],
            },
        ),
        guard("specs_specfailure"),
    ]
