import django.utils.timezone
from django.db import migrations, models

from apps.activity.schema import guard

# Who leans on the texts that are there already, as `store_texts` notes it from now on.
NOTE_USES = """
WITH leaning AS (
    SELECT at, project_id, body_sha256 AS sha256 FROM calls_call
    UNION ALL SELECT at, project_id, answer_sha256 FROM calls_call
    UNION ALL SELECT at, project_id, reasoning_sha256 FROM calls_call
    UNION ALL
    SELECT at, project_id, slot.value FROM calls_call, jsonb_each_text(slots) AS slot
    WHERE slot.value NOT LIKE '=%'
), noted AS (
    SELECT sha256, max(at) AS used_at,
           CASE WHEN count(project_id) = count(*) AND min(project_id) = max(project_id)
                THEN min(project_id) END AS project_id
    FROM leaning GROUP BY sha256
)
UPDATE calls_text SET used_at = noted.used_at, project_id = noted.project_id
FROM noted WHERE calls_text.sha256 = noted.sha256
"""


class Migration(migrations.Migration):
    dependencies = [("calls", "0004_priorities")]

    operations = [
        migrations.AddField(
            model_name="text",
            name="project_id",
            field=models.BigIntegerField(null=True),
        ),
        migrations.AddField(
            model_name="text",
            name="used_at",
            field=models.DateTimeField(default=django.utils.timezone.now),
            preserve_default=False,
        ),
        migrations.RunSQL(
            "DROP TRIGGER calls_text_guard ON calls_text",
            "CREATE TRIGGER calls_text_guard BEFORE UPDATE OR DELETE ON calls_text "
            "FOR EACH ROW EXECUTE FUNCTION rubricstudio_guard('{data}')",
        ),
        guard("calls_text", movable=["data", "project_id", "used_at"]),
        migrations.RunSQL(NOTE_USES, migrations.RunSQL.noop),
        migrations.AddIndex(
            model_name="text",
            index=models.Index(
                fields=["project_id", "used_at"],
                name="calls_text_by_use",
                condition=models.Q(data__isnull=False),
            ),
        ),
    ]
