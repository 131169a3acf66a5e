"""Sign-in links: they let one person in, once, and need no mail server."""

from __future__ import annotations

from datetime import timedelta
from typing import NamedTuple

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from apps.accounts.models import SignInLink, User
from apps.accounts.one_time import new_secret, secret_sha256
from apps.accounts.services.people import create_user
from apps.activity import services as activity
from apps.activity.errors import BadInput, Conflict

LIFETIME = timedelta(hours=24)
FIRST_ADMIN = "admin"
LINK_IS_SPENT = gettext_lazy(
    "This sign-in link was used already or has expired: ask for a new one."
)


class CreatedLink(NamedTuple):
    """A new link; its token is shown now and never again."""

    link: SignInLink
    token: str


@transaction.atomic
def create_sign_in_link(
    *, user: User, actor: User | None = None, lifetime: timedelta = LIFETIME
) -> CreatedLink:
    """A link for the person, which an administrator passes on. Raises BadInput."""
    if not user.is_active:
        raise BadInput(_("%(user)s is switched off and cannot sign in.") % {"user": user})
    token = new_secret()
    link = SignInLink.objects.create(
        user=user, token_sha256=secret_sha256(token), expires_at=timezone.now() + lifetime
    )
    activity.record(verb="sign_in_link.created", target=user, actor=actor)
    return CreatedLink(link, token)


@transaction.atomic
def create_first_admin_link() -> CreatedLink:
    """A link for the first administrator, who is created when there is none yet.

    It replaces the ones before it: each start prints one, and logs keep what is printed.
    """
    admins = User.objects.select_for_update().filter(is_superuser=True, is_active=True)
    admin = admins.order_by("pk").first()
    if admin is None:
        admin = create_user(username=FIRST_ADMIN, is_site_admin=True)
    _revoke_open_links(admin)
    return create_sign_in_link(user=admin)


def _revoke_open_links(user: User) -> None:
    now = timezone.now()
    unused = SignInLink.objects.filter(user=user, used_at__isnull=True, expires_at__gt=now)
    if count := unused.update(expires_at=now):
        activity.record(verb="sign_in_link.revoked", target=user, detail={"links": count})


@transaction.atomic
def use_sign_in_link(*, token: str) -> User:
    """Spend the link and name the person it lets in. Raises Conflict for a spent or unknown one."""
    now = timezone.now()
    links = SignInLink.objects.filter(
        token_sha256=secret_sha256(token),
        used_at__isnull=True,
        expires_at__gt=now,
        user__is_active=True,
    )
    link = links.select_for_update(of=("self",)).select_related("user").first()
    if link is None:
        raise Conflict(_("This sign-in link was used already or has expired: ask for a new one."))
    link.used_at = now
    link.save(update_fields=["used_at"])
    activity.record(verb="sign_in_link.used", target=link.user, actor=link.user)
    return link.user
