"""Projects that are older than the counter get it: the prompts that have a spec."""

from django.db import migrations

COUNT = """
INSERT INTO accounts_projectcounter (project_id, kind, last)
SELECT prompt.project_id, 'spec', count(DISTINCT prompt.id)
FROM specs_spec spec
JOIN prompts_promptrevision revision ON revision.id = spec.prompt_revision_id
JOIN prompts_prompt prompt ON prompt.id = revision.prompt_id
GROUP BY prompt.project_id
ON CONFLICT (project_id, kind) DO UPDATE SET last = excluded.last
"""


class Migration(migrations.Migration):
    dependencies = [
        ("specs", "0003_what_jobs_made"),
        ("accounts", "0001_initial"),
        ("prompts", "0001_initial"),
    ]

    operations = [migrations.RunSQL(COUNT, migrations.RunSQL.noop)]
