"""Archiving a project: it can be read, nothing in it changes, and lists leave it out."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.utils import timezone
from django.utils.translation import ngettext

from apps.accounts.models import Project, User
from apps.activity import services as activity
from apps.activity.errors import Conflict
from apps.activity.selectors import jobs_under_way


@transaction.atomic
def archive_project(*, project: Project, actor: User | None = None) -> None:
    """Make it read-only (apps.accounts.read_only). Raises Conflict while jobs are under way."""
    locked = lock_at_rest(project)
    if locked.archived_at is None:
        _set(locked, timezone.now())
        activity.record(verb="project.archived", target=project, project=project, actor=actor)


@transaction.atomic
def unarchive_project(*, project: Project, actor: User | None = None) -> None:
    """Open it again, as it was."""
    locked = Project.objects.select_for_update().get(pk=project.pk)
    if locked.archived_at is not None:
        _set(locked, None)
        activity.record(verb="project.unarchived", target=project, project=project, actor=actor)


def lock_at_rest(project: Project) -> Project:
    """The project's row, locked. Raises Conflict while something is under way in it."""
    locked = Project.objects.select_for_update().get(pk=project.pk)
    count = jobs_under_way(project).count()
    if count:
        raise Conflict(
            ngettext(
                "%(count)d job of the project is under way: wait until it ends, or cancel it.",
                "%(count)d jobs of the project are under way: wait until they end, or cancel them.",
                count,
            )
            % {"count": count}
        )
    return locked


def _set(project: Project, archived_at: datetime | None) -> None:
    project.archived_at = archived_at
    project.save(update_fields=["archived_at"])
