"""Projects, their settings, and the numbers of what is in them."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import ValidationError
from django.core.validators import validate_slug
from django.db import connection, transaction
from django.utils.translation import gettext as _

from apps.accounts import project_settings, selectors
from apps.accounts.models import Project, ProjectCounter, Role, User
from apps.accounts.services.people import grant_role
from apps.activity import services as activity
from apps.activity.errors import BadInput, Conflict
from apps.activity.merging import Fields, merged


def get_or_create_project(*, slug: str, name: str = "", actor: User | None = None) -> Project:
    """The project of this slug; a new one is administered by the actor. Raises BadInput."""
    existing = Project.objects.filter(slug=slug).first()
    return existing or _get_or_create(slug, {"name": name or slug}, actor)[0]


@transaction.atomic
def create_project(*, slug: str, name: str, description: str = "", actor: User | None) -> Project:
    """A new project, administered by the actor; without one by who administers the installation.

    Raises BadInput, and Conflict for a taken slug.
    """
    project, created = _get_or_create(slug, {"name": name, "description": description}, actor)
    if not created:
        raise _taken(slug)
    return project


def check_free(slug: str) -> None:
    """Raises BadInput for a slug that cannot be, and Conflict for one that is taken."""
    _check_slug(slug)
    if Project.objects.filter(slug=slug).exists():
        raise _taken(slug)


def _taken(slug: str) -> Conflict:
    return Conflict(
        _("The short name %(slug)s is taken, also where you cannot see its project.")
        % {"slug": slug}
    )


@transaction.atomic
def _get_or_create(slug: str, texts: dict[str, str], actor: User | None) -> tuple[Project, bool]:
    _check_slug(slug)
    project, created = Project.objects.get_or_create(
        slug=slug, defaults={**texts, "created_by": actor}
    )
    if created:
        activity.record(verb="project.created", target=project, project=project, actor=actor)
        if actor:
            grant_role(project=project, user=actor, role=Role.ADMIN, actor=actor)
    return project, created


def _check_slug(slug: str) -> None:
    try:
        Project._meta.get_field("slug").clean(slug, None)
    except ValidationError as error:
        raise BadInput(
            _("%(slug)r cannot be the short name of a project: %(reason)s")
            % {"slug": slug, "reason": " ".join(_own_reasons(error))}
        ) from None


def _own_reasons(error: ValidationError) -> list[str]:
    """The reasons without Django's, whose alphabet is wider than that of a short name."""
    return [reason for reason in error.messages if reason != validate_slug.message]


def allocate_numbers(*, project: Project, kind: str, count: int = 1) -> range:
    """The next `count` numbers of one kind of thing in a project, given out once.

    The counter's row stays locked until the transaction ends, so numbers have no gaps unless it
    rolls back, and importers of one kind take turns.
    """
    if count < 1:
        raise ValueError(f"count must be at least 1, got {count}")
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO {ProjectCounter._meta.db_table} AS counter (project_id, kind, last) "  # noqa: S608 - the table's own name
            "VALUES (%s, %s, %s) ON CONFLICT (project_id, kind) "
            "DO UPDATE SET last = counter.last + excluded.last RETURNING last",
            [project.pk, kind, count],
        )
        last: int = cursor.fetchone()[0]
    return range(last - count + 1, last + 1)


@transaction.atomic
def change_project(
    *, project: Project, fields: Fields, seen: str, actor: User | None = None
) -> Project:
    """Set texts and settings of a project, given as its form holds them.

    `seen` is what the fields held when the form was shown (apps.activity.merging). Raises Conflict
    where somebody else changed the same field meanwhile, and BadInput for a value that cannot be.
    """
    locked = Project.objects.select_for_update().get(pk=project.pk)
    now = selectors.project_fields(locked)
    wanted = merged(mine=fields, now=now, seen=seen)
    changed = {name: text for name, text in wanted.items() if text != now[name]}
    texts = {name: changed.pop(name) for name in selectors.PROJECT_TEXTS if name in changed}
    if texts:
        _change_texts(locked, texts, {name: now[name] for name in texts}, actor)
    if changed:
        change_settings(project=locked, changes=changed, actor=actor)
    return locked


def _change_texts(
    project: Project, texts: dict[str, str], before: dict[str, str], actor: User | None
) -> None:
    for name, text in texts.items():
        setattr(project, name, text)
    try:
        project.clean_fields(exclude={field.name for field in Project._meta.fields} - set(texts))
    except ValidationError as error:
        raise BadInput(" ".join(error.messages)) from None
    project.save(update_fields=list(texts))
    activity.record(
        verb="project.changed",
        target=project,
        project=project,
        actor=actor,
        detail={"before": before, "after": texts},
    )


@transaction.atomic
def change_settings(
    *, project: Project, changes: dict[str, Any], actor: User | None = None
) -> project_settings.ProjectSettings:
    """Set the named settings and leave the others; the trail keeps old and new. Raises BadInput."""
    locked = Project.objects.select_for_update().get(pk=project.pk)
    before = project_settings.load(locked)
    after = project_settings.changed(before, changes)
    locked.settings = project.settings = after.model_dump(mode="json")
    locked.save(update_fields=["settings"])
    activity.record(
        verb="project.settings_changed",
        target=project,
        project=project,
        actor=actor,
        detail={"before": before.model_dump(mode="json"), "after": locked.settings},
    )
    return after
