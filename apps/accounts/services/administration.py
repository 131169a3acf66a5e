"""What only who administers the installation may do with people."""

from __future__ import annotations

from django.db import transaction
from django.utils.translation import gettext as _

from apps.accounts.models import User
from apps.activity import services as activity
from apps.activity.errors import BadInput, Conflict


@transaction.atomic
def deactivate_user(*, user: User, actor: User) -> None:
    """Switch a person off: they are signed out and cannot come in, what they did stays.

    Raises Conflict for the last administrator of the installation.
    """
    locked = _locked(user)
    if locked.is_superuser:
        _check_not_last(locked)
    if locked.is_active:
        locked.is_active = False
        locked.save(update_fields=["is_active"])
        activity.record(verb="user.deactivated", target=locked, actor=actor)


@transaction.atomic
def reactivate_user(*, user: User, actor: User) -> None:
    """Let a person who was switched off come in again, with the roles they had."""
    locked = _locked(user)
    if not locked.is_active:
        locked.is_active = True
        locked.save(update_fields=["is_active"])
        activity.record(verb="user.reactivated", target=locked, actor=actor)


@transaction.atomic
def make_site_admin(*, user: User, actor: User) -> None:
    """Let a person administer the installation and with it every project. Raises BadInput."""
    locked = _locked(user)
    if not locked.is_active:
        raise BadInput(_("%(user)s is switched off: reactivate them first.") % {"user": locked})
    _set_site_admin(locked, True, actor)


@transaction.atomic
def end_site_admin(*, user: User, actor: User) -> None:
    """Take the administration of the installation away; roles in projects stay.

    Raises Conflict for the last administrator.
    """
    locked = _locked(user)
    if locked.is_superuser:
        _check_not_last(locked)
    _set_site_admin(locked, False, actor)


def _locked(user: User) -> User:
    return User.objects.select_for_update().get(pk=user.pk)


def _check_not_last(user: User) -> None:
    """Locks all administrators, so that two cannot switch each other off at once."""
    administrators = User.objects.select_for_update().filter(is_superuser=True, is_active=True)
    if {found.pk for found in administrators.order_by("pk")} <= {user.pk}:
        raise Conflict(
            _("%(user)s is the only administrator of the installation: name another one first.")
            % {"user": user}
        )


def _set_site_admin(user: User, wanted: bool, actor: User) -> None:
    if user.is_superuser == wanted:
        return
    user.is_superuser = wanted
    user.save(update_fields=["is_superuser"])
    verb = "user.site_admin_granted" if wanted else "user.site_admin_revoked"
    activity.record(verb=verb, target=user, actor=actor)
