"""A copy of a project: its settings, prompts and specs, to go another way from there."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from django.db import transaction

from apps.accounts.models import Project, User
from apps.activity import services as activity
from apps.studio.services.transfer.exporting import export_copy
from apps.studio.services.transfer.importing import Imported, Watch, import_copy, unwatched
from apps.studio.services.transfer.plan import Plan


@transaction.atomic
def copy_project(
    *, project: Project, slug: str, name: str, actor: User | None = None, watch: Watch = unwatched
) -> Imported:
    """A new project with the settings, prompts, specs and reward configurations of another.

    It has no rollouts, runs, rewards, bundles or calls, and the actor as its only member. Specs
    keep their ids; what a bundle froze is an approved candidate. Raises BadInput for the slug and
    Conflict where it is taken.
    """
    plan = Plan.of_copy()
    with TemporaryDirectory() as place:
        file = Path(place) / f"{project.slug}.zip"
        export_copy(file, project, plan)
        copied = import_copy(
            file, source=project, slug=slug, name=name, actor=actor, plan=plan, watch=watch
        )
    activity.record(
        verb="project.copied",
        target=copied.project,
        project=copied.project,
        actor=actor,
        detail={"from": project.slug, "rows": copied.rows},
    )
    activity.record(
        verb="project.copied_to", target=project, project=project, actor=actor, detail={"to": slug}
    )
    return copied
