"""People and what they may do in a project."""

from __future__ import annotations

from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext as _

from apps.accounts.models import Membership, Project, Role, User
from apps.activity import services as activity
from apps.activity.errors import BadInput, Conflict


@transaction.atomic
def create_user(
    *,
    username: str,
    password: str | None = None,
    display_name: str = "",
    is_site_admin: bool = False,
    is_active: bool = True,
    actor: User | None = None,
) -> User:
    """A new person; without a password they come in by a sign-in link. Raises BadInput."""
    user = User(
        username=username,
        display_name=display_name,
        is_superuser=is_site_admin,
        is_active=is_active,
    )
    user.set_password(password)
    try:
        user.full_clean()
        if password is not None:
            validate_password(password, user)
    except ValidationError as error:
        raise BadInput(_sentences(error)) from None
    user.save()
    activity.record(
        verb="user.created", target=user, actor=actor, detail={"is_site_admin": is_site_admin}
    )
    return user


def _sentences(error: ValidationError) -> str:
    return " ".join(error.messages)


@transaction.atomic
def grant_role(*, project: Project, user: User, role: str, actor: User | None = None) -> Membership:
    """Give a role; one that the person has already stays as it is."""
    membership, created = Membership.objects.get_or_create(project=project, user=user, role=role)
    if created:
        _record_role("member.role_granted", membership, actor)
    return membership


@transaction.atomic
def revoke_role(*, project: Project, user: User, role: str, actor: User | None = None) -> None:
    """Take a role away. Raises Conflict when the project would lose its last administrator."""
    administrators = Membership.objects.select_for_update(of=("self",)).filter(
        project=project, role=Role.ADMIN, user__is_active=True
    )
    if role == Role.ADMIN and {found.user_id for found in administrators} == {user.pk}:
        raise Conflict(
            _("%(user)s is the only administrator of %(project)s: name another one first.")
            % {"user": user, "project": project}
        )
    for membership in Membership.objects.filter(project=project, user=user, role=role):
        _record_role("member.role_revoked", membership, actor)
        membership.delete()


def _record_role(verb: str, membership: Membership, actor: User | None) -> None:
    activity.record(
        verb=verb,
        target=membership.user,
        project=membership.project,
        actor=actor,
        detail={"role": str(membership.role)},
    )
