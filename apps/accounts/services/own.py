"""What a person changes about themselves."""

from __future__ import annotations

from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import F
from django.utils.translation import gettext as _

from apps.accounts.models import User
from apps.activity import services as activity
from apps.activity.errors import BadInput


@transaction.atomic
def change_profile(*, user: User, display_name: str, language: str) -> None:
    """How others read the person's name, and in which language they read us. Raises BadInput."""
    user.display_name, user.language = display_name.strip(), language
    try:
        user.clean_fields(exclude=["password"])
    except ValidationError as error:
        raise BadInput(" ".join(error.messages)) from None
    user.save(update_fields=["display_name", "language"])
    activity.record(verb="user.changed", target=user, actor=user)


@transaction.atomic
def change_password(*, user: User, current: str, new: str) -> None:
    """Set a password; every other session ends. Raises BadInput.

    Who came in by a sign-in link has none yet, and gives no current one.
    """
    if user.has_usable_password() and not user.check_password(current):
        raise BadInput(_("The current password is another one."))
    try:
        validate_password(new, user)
    except ValidationError as error:
        raise BadInput(" ".join(error.messages)) from None
    user.set_password(new)
    user.save(update_fields=["password"])
    activity.record(verb="user.password_changed", target=user, actor=user)


@transaction.atomic
def end_sessions(*, user: User) -> None:
    """Sign the person out wherever they are signed in."""
    User.objects.filter(pk=user.pk).update(sessions_ended=F("sessions_ended") + 1)
    user.refresh_from_db(fields=["sessions_ended"])
    activity.record(verb="user.sessions_ended", target=user, actor=user)
