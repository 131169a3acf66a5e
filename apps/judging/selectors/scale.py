"""How large a run over a whole project would be, and who would judge in it."""

from __future__ import annotations

from typing import NamedTuple

from django.db import connection

from apps.accounts.models import Project
from apps.calls.models import ModelRole
from apps.calls.selectors import role_for
from apps.judging.selectors.cells import JUDGED_SCALES

ROLES = (ModelRole.Name.JUDGE, ModelRole.Name.GLOBAL)

SCALE = """
WITH newest AS (
    SELECT DISTINCT ON (spec.prompt_revision_id) spec.id, spec.prompt_revision_id
    FROM specs_spec AS spec
    JOIN prompts_promptrevision AS text ON text.id = spec.prompt_revision_id
    JOIN prompts_prompt AS prompt ON prompt.id = text.prompt_id
    WHERE prompt.project_id = %(project)s
    ORDER BY spec.prompt_revision_id, spec.version DESC
), asked AS (
    SELECT newest.prompt_revision_id, count(criterion.id) + 1 AS cells
    FROM newest LEFT JOIN specs_criterion AS criterion ON criterion.spec_id = newest.id
        AND criterion.source = 'judge' AND criterion.scale = ANY(%(scales)s)
    GROUP BY newest.prompt_revision_id
)
SELECT count(asked.cells), count(*), coalesce(sum(asked.cells), 0)
FROM rollouts_rollout AS rollout LEFT JOIN asked USING (prompt_revision_id)
WHERE rollout.project_id = %(project)s
"""


class Scale(NamedTuple):
    """Rollouts whose prompt has a spec, all rollouts, and the cells of a run over the former."""

    judged: int
    rollouts: int
    cells: int

    @property
    def lacking(self) -> int:
        """Rollouts whose prompt has no spec."""
        return self.rollouts - self.judged


def scale_of(project: Project) -> Scale:
    """One question of each criterion and the global score for each rollout."""
    with connection.cursor() as cursor:
        cursor.execute(SCALE, {"project": project.pk, "scales": list(JUDGED_SCALES)})
        judged, rollouts, cells = cursor.fetchone()
    return Scale(judged, rollouts, int(cells))


def judging_roles(project: Project) -> list[ModelRole]:
    """The models that would judge criteria and give global scores; fewer where one is not set."""
    return [role for name in ROLES if (role := role_for(project, name)) is not None]
