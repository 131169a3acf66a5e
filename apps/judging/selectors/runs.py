"""Reads of runs."""

from __future__ import annotations

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from apps.accounts.models import Project
from apps.activity.errors import BadInput
from apps.judging.models import JudgeRun, Shard


def runs_of(project: Project) -> QuerySet[JudgeRun]:
    """The runs of a project, newest first."""
    runs = JudgeRun.objects.filter(project=project).order_by("-number")
    return runs.select_related("parent", "requested_by")


def get_run(project: Project, number: int) -> JudgeRun:
    """Raises BadInput."""
    run = runs_of(project).filter(number=number).first()
    if run is None:
        raise BadInput(
            _("Project %(slug)s has no run %(number)d.") % {"slug": project.slug, "number": number}
        )
    return run


def newest_run(project: Project, *, state: str = JudgeRun.State.DONE) -> JudgeRun | None:
    """The newest run in a state; by default the newest that is complete."""
    return runs_of(project).filter(state=state).first()


def next_shard(run: JudgeRun) -> Shard | None:
    """The first shard of a run that nobody has."""
    return run.shards.filter(state=Shard.State.QUEUED).order_by("position").first()
