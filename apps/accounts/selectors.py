"""Reads: which project, who may see it, what a link or token stands for."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import BooleanField, Count, ExpressionWrapper, OuterRef, Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from apps.accounts import project_settings
from apps.accounts.models import ApiToken, Invitation, Membership, Project, Role, SignInLink, User
from apps.accounts.one_time import secret_sha256
from apps.activity.errors import BadInput
from apps.activity.models import AuditEvent

PROJECT_TEXTS = ("name", "description", "guidelines")
PROJECT_DELETED = "project.deleted"


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
    shown = {name: "" if value is None else str(value) for name, value in settings.items()}
    return {**texts, **shown}


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


@dataclass(frozen=True)
class Member:
    """A person in a project, with the roles they hold there."""

    user: User
    roles: list[str]
    since: datetime


def members_of(project: Project) -> list[Member]:
    """The members by name: one query, however many there are."""
    held = Membership.objects.filter(project=project).select_related("user")
    roles: dict[int, list[Membership]] = {}
    for one in held.order_by("user__username", "created_at"):
        roles.setdefault(one.user_id, []).append(one)
    return [
        Member(some[0].user, [one.role for one in some], some[0].created_at)
        for some in roles.values()
    ]


@dataclass(frozen=True)
class Place:
    """A project that a person works in, with their roles there."""

    project: Project
    roles: list[str]


def places_of(user: User) -> list[Place]:
    """Where a person works, by the name of the project: one query."""
    held = user.memberships.filter(project__deleted_at__isnull=True).select_related("project")
    places: dict[int, Place] = {}
    for one in held.order_by("project__name", "project_id", "created_at"):
        place = places.setdefault(one.project_id, Place(one.project, []))
        place.roles.append(one.role)
    return list(places.values())


def people() -> QuerySet[User]:
    """Everybody, with the number of projects that they work in."""
    return User.objects.annotate(projects=Count("memberships__project", distinct=True))


def all_projects() -> QuerySet[Project]:
    """Every project with the number of its members, deleted ones too; no long texts."""
    members = Count("memberships__user", distinct=True)
    listed = Project.with_deleted.annotate(members=members).select_related("created_by")
    return listed.defer("description", "guidelines", "settings")


def deletions_of(projects: Iterable[Project]) -> dict[int, AuditEvent]:
    """What the trail says of those projects that were deleted: who, when, why, how much."""
    deleted = [project.pk for project in projects if project.deleted_at]
    events = AuditEvent.objects.filter(project__in=deleted, verb=PROJECT_DELETED)
    return {event.project_id: event for event in events.select_related("actor") if event.project_id}


def pending_invitations(project: Project) -> QuerySet[Invitation]:
    """Links that somebody could still accept, newest first."""
    pending = project.invitations.filter(accepted_at__isnull=True, revoked_at__isnull=True)
    still_valid = pending.filter(expires_at__gt=timezone.now())
    return still_valid.select_related("created_by").order_by("-pk")


def tokens_of(project: Project) -> QuerySet[ApiToken]:
    """The tokens of a project, those that work first, then the newest."""
    return _by_use(project.tokens.select_related("created_by"))


def tokens_by(user: User) -> QuerySet[ApiToken]:
    """The tokens that a person made, in whatever project."""
    return _by_use(ApiToken.objects.filter(created_by=user).select_related("project"))


def _by_use(tokens: QuerySet[ApiToken]) -> QuerySet[ApiToken]:
    works = Q(revoked_at__isnull=True) & (
        Q(expires_at__isnull=True) | Q(expires_at__gt=timezone.now())
    )
    return tokens.annotate(works=ExpressionWrapper(works, BooleanField())).order_by("-works", "-pk")


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
