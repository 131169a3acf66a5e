"""The end of a project: closed to everybody at once, emptied by a job, told by the trail for ever.

The row of the project stays, without its texts and under a name that no address can have, since
the sealed trail refers to it. The trail says who, when and why, how much there was, and the ids of
the bundles that were frozen: a trainer that used one can still be asked which it was.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from django.db import connection, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from apps.accounts import services as accounts
from apps.accounts.models import Project, User
from apps.accounts.selectors import PROJECT_DELETED
from apps.activity import services as activity
from apps.activity.errors import BadInput
from apps.activity.models import Job
from apps.activity.schema import PURGE_SETTING
from apps.bundles.models import Bundle
from apps.prompts.models import Upload
from apps.studio import selectors
from apps.studio.services.transfer.plan import TABLES, rows_of

KIND = "delete_project"
TASK = "apps.studio.tasks.delete_project"

# Rows that belong to a project and do not travel with it, before and after those that do.
FIRST = ("prompts_upload",)
LAST = (
    "calls_modelendpoint",
    "activity_draft",
    "accounts_apitoken",
    "accounts_invitation",
    "accounts_membership",
)
TEMPLATES = """
DELETE FROM calls_templateversion WHERE template_id IN (
    SELECT id FROM calls_template WHERE project_id = %s
)
"""
# Texts that calls of this project alone lean on. A text of several projects says so by naming none,
# and is looked for in the calls of the others.
TEXTS = """
DELETE FROM calls_text WHERE project_id = %(project)s OR sha256 IN (
    SELECT sha256 FROM ({mine}) AS mine JOIN calls_text USING (sha256)
    WHERE calls_text.project_id IS NULL
    EXCEPT SELECT sha256 FROM ({others}) AS others
)
"""
USED = """
SELECT text.sha256 FROM calls_call AS call CROSS JOIN LATERAL (
    SELECT call.body_sha256 AS sha256 UNION ALL SELECT call.answer_sha256
    UNION ALL SELECT call.reasoning_sha256
    UNION ALL SELECT slot.value FROM jsonb_each_text(call.slots) AS slot
    WHERE slot.value NOT LIKE '=%%'
) AS text WHERE call.project_id IS {distinct} FROM %(project)s
"""


@transaction.atomic
def start_deletion(*, project: Project, reason: str, actor: User) -> Job:
    """Close the project for good; the caller enqueues the job that empties it.

    Raises Conflict while jobs are under way in it, and BadInput without a reason where bundles
    were frozen from it.
    """
    locked = accounts.lock_at_rest(project)
    bundles = list(Bundle.objects.filter(project=locked).values_list("bundle_id", flat=True))
    if bundles and not reason.strip():
        raise BadInput(
            _("Bundles were frozen from this project: say why it is deleted, for the trail.")
        )
    counts = {one.key: one.number for one in selectors.contents_of(locked)}
    activity.record(
        verb=PROJECT_DELETED,
        target=locked,
        project=locked,
        actor=actor,
        reason=reason.strip(),
        detail={"slug": locked.slug, "name": locked.name, "counts": counts, "bundles": bundles},
    )
    _close(locked)
    return activity.create_job(
        kind=KIND,
        task=TASK,
        arguments={"project_id": locked.pk},
        project=None,
        requested_by=actor,
    )


def _close(project: Project) -> None:
    """Under a name with an underscore, which no project can be given."""
    project.slug, project.deleted_at = f"deleted_{project.pk}", timezone.now()
    project.description = project.guidelines = ""
    project.settings = {}
    project.save(update_fields=["slug", "deleted_at", "description", "guidelines", "settings"])


@transaction.atomic
def purge_project(*, project_id: int, told: Callable[[int], None]) -> dict[str, int]:
    """Delete all rows of a project that was closed, protected ones too; how many, by table.

    `told` is given the number so far. What stays: the project's row, its trail and its seals.
    """
    project = Project.with_deleted.get(pk=project_id, deleted_at__isnull=False)
    paths = [upload.path for upload in Upload.objects.filter(project=project)]
    purge = _Purge(project, told)
    for name in FIRST:
        purge.delete(name, f"project_id = {project.pk:d}")
    purge.texts()
    for table in reversed(TABLES):
        purge.delete(table.rows, rows_of(table, project))
    purge.templates()
    for name in LAST:
        purge.delete(name, f"project_id = {project.pk:d}")
    activity.record(
        verb="project.purged",
        target=project,
        project=project,
        detail={"rows": purge.total, "tables": purge.deleted},
    )
    for path in paths:
        transaction.on_commit(partial(path.unlink, missing_ok=True))
    return {"rows": purge.total}


def do_deletion(job: Job, watch: Callable[[int], None]) -> dict[str, int]:
    """The work of a deletion's job."""
    return purge_project(project_id=job.arguments["project_id"], told=watch)


class _Purge:
    """Deletes under the setting that lets protected rows go, and counts."""

    def __init__(self, project: Project, told: Callable[[int], None]) -> None:
        self.project, self.told = project, told
        self.deleted: dict[str, int] = {}
        with connection.cursor() as cursor:
            cursor.execute(f"SET LOCAL {PURGE_SETTING} = 'on'")

    @property
    def total(self) -> int:
        return sum(self.deleted.values())

    def delete(self, table: str, condition: str) -> None:
        self._run(table, f"DELETE FROM {table} WHERE {condition}")  # noqa: S608 - our own names

    def templates(self) -> None:
        self._run("calls_templateversion", TEMPLATES, [self.project.pk])
        self.delete("calls_template", f"project_id = {self.project.pk:d}")

    def texts(self) -> None:
        """Before the calls go, which say what they lean on."""
        mine = USED.format(distinct="NOT DISTINCT")
        others = USED.format(distinct="DISTINCT")
        statement = TEXTS.format(mine=mine, others=others)
        self._run("calls_text", statement, {"project": self.project.pk})

    def _run(self, table: str, statement: str, parameters: Any = None) -> None:
        with connection.cursor() as cursor:
            cursor.execute(statement, parameters)
            if cursor.rowcount:
                self.deleted[table] = cursor.rowcount
        self.told(self.total)
