"""Members of a project: which roles they hold, who leaves, who comes back."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from apps.accounts.models import Membership, Project, Role, User
from apps.accounts.services.people import grant_role, revoke_role
from apps.activity import services as activity
from apps.activity.errors import BadInput, Conflict
from apps.activity.models import AuditEvent

REMOVED = "member.removed"
UNDO_WITHIN = timedelta(minutes=30)


@transaction.atomic
def set_roles(
    *, project: Project, user: User, roles: Iterable[str], actor: User | None = None
) -> None:
    """Give a member exactly these roles. Raises BadInput for none or an unknown one, and Conflict
    when the project would lose its last administrator.
    """
    wanted = set(roles)
    if not wanted or not wanted <= set(Role.values):
        raise BadInput(
            _("A member needs roles out of %(known)s; remove who should have none.")
            % {"known": ", ".join(Role.values)}
        )
    held = _held(project, user)
    for role in sorted(wanted - held):
        grant_role(project=project, user=user, role=role, actor=actor)
    for role in sorted(held - wanted):
        revoke_role(project=project, user=user, role=role, actor=actor)


@transaction.atomic
def remove_member(*, project: Project, user: User, actor: User | None = None) -> AuditEvent:
    """Take all roles of a person away. The entry in the trail is what `restore_member` undoes.

    Raises BadInput for somebody who is no member, and Conflict for the last administrator.
    """
    held = sorted(_held(project, user))
    if not held:
        raise BadInput(_("%(user)s is not a member of %(project)s.") % _names(project, user))
    for role in held:
        revoke_role(project=project, user=user, role=role, actor=actor)
    return activity.record(
        verb=REMOVED, target=user, project=project, actor=actor, detail={"roles": held}
    )


@transaction.atomic
def restore_member(*, project: Project, removal: AuditEvent, actor: User | None = None) -> User:
    """Give a person who was removed a moment ago the same roles again. Raises Conflict."""
    if removal.verb != REMOVED or removal.project_id != project.pk:
        raise BadInput(_("This is not the removal of a member of the project."))
    if removal.at < timezone.now() - UNDO_WITHIN:
        raise Conflict(_("The removal is too long ago to be undone: invite the person again."))
    user = User.objects.get(pk=removal.target_id)
    for role in removal.detail["roles"]:
        grant_role(project=project, user=user, role=role, actor=actor)
    return user


def _held(project: Project, user: User) -> set[str]:
    held = Membership.objects.select_for_update().filter(project=project, user=user)
    return set(held.values_list("role", flat=True))


def _names(project: Project, user: User) -> dict[str, object]:
    return {"user": user, "project": project}
