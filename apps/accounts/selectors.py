"""Reads: which project, who may see it, what a link or token stands for."""

from __future__ import annotations

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import OuterRef, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from apps.accounts import project_settings
from apps.accounts.models import Invitation, Membership, Project, Role, SignInLink, User
from apps.accounts.one_time import secret_sha256
from apps.activity.errors import BadInput

PROJECT_TEXTS = ("name", "description", "guidelines")


def get_project(slug: str) -> Project:
    """The project of this slug. Raises BadInput."""
    project = Project.objects.filter(slug=slug).first()
    if project is None:
        raise BadInput(
            _("There is no project %(slug)r; import_prompts creates one.") % {"slug": slug}
        )
    return project


def project_fields(project: Project) -> dict[str, str]:
    """The texts and settings of a project as the fields of its form hold them."""
    settings = project_settings.load(project).model_dump(exclude={"version"})
    texts = {name: getattr(project, name) for name in PROJECT_TEXTS}
    return {**texts, **{name: str(value) for name, value in settings.items()}}


def get_user(username: str) -> User:
    """The person of this user name. Raises BadInput."""
    user = User.objects.filter(username=username).first()
    if user is None:
        raise BadInput(
            _("There is no user %(name)r; create_user creates one.") % {"name": username}
        )
    return user


def roles_of(user: User, project: Project) -> frozenset[Role]:
    """The person's roles in the project; who administers the site administers every project."""
    held = Membership.objects.filter(user=user, project=project).values_list("role", flat=True)
    site = {Role.ADMIN} if user.is_superuser else set()
    return frozenset({Role(role) for role in held} | site)


def project_of(user: User, slug: str) -> tuple[Project, frozenset[Role]] | None:
    """The project of this slug with the person's roles in it, in one query; None for outsiders."""
    held = Membership.objects.filter(user=user, project=OuterRef("pk")).values("role")
    project = Project.objects.filter(slug=slug).annotate(held=ArraySubquery(held)).first()
    if project is None:
        return None
    roles = {Role(role) for role in project.held} | ({Role.ADMIN} if user.is_superuser else set())
    return (project, frozenset(roles)) if roles else None


def projects_seen_by(user: User) -> QuerySet[Project]:
    """The projects that the person is a member of; all of them for who administers the site."""
    if user.is_superuser:
        return Project.objects.all()
    return Project.objects.filter(pk__in=user.memberships.values("project"))


def sign_in_link_is_open(token: str) -> bool:
    """Whether the link would let somebody in; looking spends nothing."""
    return SignInLink.objects.filter(
        token_sha256=secret_sha256(token),
        used_at__isnull=True,
        expires_at__gt=timezone.now(),
        user__is_active=True,
    ).exists()


def open_invitations(token: str) -> QuerySet[Invitation]:
    """The invitation of this token while it can be accepted: one row or none."""
    return Invitation.objects.select_related("project", "created_by").filter(
        token_sha256=secret_sha256(token),
        accepted_at__isnull=True,
        revoked_at__isnull=True,
        expires_at__gt=timezone.now(),
    )
