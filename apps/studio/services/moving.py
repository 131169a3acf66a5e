"""Jobs that bring a project in from a file that was sent, and that copy one."""

from __future__ import annotations

import os
import uuid
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils.translation import gettext as _

from apps.accounts import services as accounts
from apps.accounts.models import Project, User
from apps.accounts.read_only import COPYING
from apps.activity import services as activity
from apps.activity.errors import BadInput
from apps.activity.models import Job
from apps.studio.services.carrying import Watch
from apps.studio.services.transfer import ProjectFile, copy_project, import_project

IMPORTING = "import_project"
IMPORT_TASK = "apps.studio.tasks.import_project"
COPY_TASK = "apps.studio.tasks.copy_project"


@transaction.atomic
def start_import(*, received: Path, slug: str, name: str, actor: User) -> Job:
    """A job that brings in the file; the caller enqueues it. The file is linked, not copied.

    It lies in the folder of uploads. Raises BadInput for a file that is no export and for the
    slug, and Conflict for one that is taken.
    """
    accounts.check_free(slug)
    with ProjectFile(received) as file:
        rows = sum(one.rows for one in file.entries.values())
    kept = settings.UPLOADS_DIR / f"project-{uuid.uuid4()}.zip"
    os.link(received, kept)
    return activity.create_job(
        kind=IMPORTING,
        task=IMPORT_TASK,
        arguments={"file": kept.name, "slug": slug, "name": name},
        project=None,
        requested_by=actor,
        total=rows,
    )


def do_import(job: Job, watch: Watch) -> dict[str, Any]:
    """The work of an import's job."""
    path = settings.UPLOADS_DIR / job.arguments["file"]
    if not path.exists():
        raise BadInput(_("The file that was sent is gone: send it again."))
    imported = import_project(
        path,
        slug=job.arguments["slug"],
        name=job.arguments["name"],
        actor=job.requested_by,
        watch=watch,
    )
    transaction.on_commit(lambda: path.unlink(missing_ok=True))
    return {
        "project": imported.project.slug,
        "rows": imported.rows,
        "people_created": list(imported.people),
    }


@transaction.atomic
def start_copy(*, project: Project, slug: str, name: str, actor: User) -> Job:
    """A job that copies a project; the caller enqueues it. Raises BadInput and Conflict."""
    accounts.check_free(slug)
    return activity.create_job(
        kind=COPYING,
        task=COPY_TASK,
        arguments={"slug": slug, "name": name},
        project=project,
        requested_by=actor,
    )


def do_copy(job: Job, watch: Watch) -> dict[str, Any]:
    """The work of a copy's job."""
    source = Project.objects.get(jobs=job)
    copied = copy_project(
        project=source,
        slug=job.arguments["slug"],
        name=job.arguments["name"],
        actor=job.requested_by,
        watch=watch,
    )
    return {"project": copied.project.slug, "rows": copied.rows}
