"""Invitations: a link that brings somebody into a project with the roles it names."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from typing import NamedTuple

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from apps.accounts import selectors
from apps.accounts.models import Invitation, Project, Role, User
from apps.accounts.one_time import new_secret, secret_sha256
from apps.accounts.services.people import create_user, grant_role
from apps.activity import services as activity
from apps.activity.errors import BadInput, Conflict

LIFETIME = timedelta(days=7)
INVITATION_IS_SPENT = gettext_lazy(
    "This invitation was accepted already, withdrawn or has expired: ask for a new one."
)


class CreatedInvitation(NamedTuple):
    """A new invitation; its token is shown now and never again."""

    invitation: Invitation
    token: str


@transaction.atomic
def create_invitation(
    *,
    project: Project,
    roles: Iterable[str],
    actor: User | None = None,
    note: str = "",
    lifetime: timedelta = LIFETIME,
) -> CreatedInvitation:
    """An invitation to the project. Raises BadInput for no role or an unknown one."""
    chosen = list(dict.fromkeys(roles))
    if not chosen or not set(chosen) <= set(Role.values):
        raise BadInput(
            _("An invitation needs roles out of %(known)s.") % {"known": ", ".join(Role.values)}
        )
    token = new_secret()
    invitation = Invitation.objects.create(
        project=project,
        roles=chosen,
        note=note,
        token_sha256=secret_sha256(token),
        created_by=actor,
        expires_at=timezone.now() + lifetime,
    )
    _record("invitation.created", invitation, actor)
    return CreatedInvitation(invitation, token)


@transaction.atomic
def accept_invitation(*, token: str, user: User) -> Project:
    """Give the person the roles of the invitation and spend it. Raises Conflict."""
    invitation = selectors.open_invitations(token).select_for_update(of=("self",)).first()
    if invitation is None:
        raise Conflict(INVITATION_IS_SPENT)
    invitation.accepted_at, invitation.accepted_by = timezone.now(), user
    invitation.save(update_fields=["accepted_at", "accepted_by"])
    for role in invitation.roles:
        grant_role(project=invitation.project, user=user, role=role, actor=invitation.created_by)
    _record("invitation.accepted", invitation, user)
    return invitation.project


@transaction.atomic
def register_and_accept(*, token: str, username: str, password: str) -> User:
    """A new person comes in by an invitation; nobody is created when it does not hold."""
    user = create_user(username=username, password=password)
    accept_invitation(token=token, user=user)
    return user


@transaction.atomic
def revoke_invitation(*, invitation: Invitation, actor: User | None = None) -> None:
    """Withdraw an invitation that nobody accepted yet."""
    open_ones = Invitation.objects.filter(
        pk=invitation.pk, accepted_at__isnull=True, revoked_at__isnull=True
    )
    if open_ones.update(revoked_at=timezone.now()):
        _record("invitation.revoked", invitation, actor)


@transaction.atomic
def restore_invitation(*, invitation: Invitation, actor: User | None = None) -> None:
    """Undo a withdrawal; the same link holds again. Raises Conflict when it would be of no use."""
    revoked = Invitation.objects.filter(
        pk=invitation.pk, revoked_at__isnull=False, expires_at__gt=timezone.now()
    )
    if not revoked.update(revoked_at=None):
        raise Conflict(_("This invitation is not withdrawn, or has expired: make a new one."))
    _record("invitation.restored", invitation, actor)


def _record(verb: str, invitation: Invitation, actor: User | None) -> None:
    activity.record(
        verb=verb,
        target=invitation,
        project=invitation.project,
        actor=actor,
        detail={"roles": list(invitation.roles)},
    )
