"""API tokens: each acts in one project, within its scopes, until it expires or is revoked."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import NamedTuple

from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _

from apps.accounts.models import ApiToken, Project, Scope, User
from apps.accounts.one_time import new_secret, secret_sha256
from apps.activity import services as activity
from apps.activity.errors import BadInput

PREFIX_LENGTH = 12
USE_NOTED_EVERY = timedelta(minutes=1)


class CreatedToken(NamedTuple):
    """A new token; its plain text is shown now and never again."""

    token: ApiToken
    plaintext: str


@transaction.atomic
def create_token(
    *,
    project: Project,
    name: str,
    scopes: Iterable[str],
    created_by: User | None = None,
    expires_at: datetime | None = None,
) -> CreatedToken:
    """A token of the project. Raises BadInput for no scope or an unknown one."""
    chosen = list(dict.fromkeys(scopes))
    _check_scopes(chosen)
    plaintext = new_secret("rs_")
    token = ApiToken.objects.create(
        project=project,
        created_by=created_by,
        name=name,
        prefix=plaintext[:PREFIX_LENGTH],
        token_sha256=secret_sha256(plaintext),
        scopes=chosen,
        expires_at=expires_at,
    )
    activity.record(
        verb="token.created",
        target=token,
        project=project,
        actor=created_by,
        detail={"name": name, "scopes": chosen},
    )
    return CreatedToken(token, plaintext)


def _check_scopes(scopes: list[str]) -> None:
    unknown = [scope for scope in scopes if scope not in Scope.values]
    if unknown or not scopes:
        raise BadInput(
            _("A token needs scopes out of %(known)s; given: %(given)s.")
            % {"known": ", ".join(Scope.values), "given": ", ".join(scopes) or _("none")}
        )


@transaction.atomic
def revoke_token(*, token: ApiToken, actor: User | None = None) -> None:
    """End a token for good; ending it twice changes nothing."""
    revoked = ApiToken.objects.filter(pk=token.pk, revoked_at__isnull=True)
    if revoked.update(revoked_at=timezone.now()):
        activity.record(verb="token.revoked", target=token, project=token.project, actor=actor)


def authenticate_token(plaintext: str) -> ApiToken | None:
    """The valid token of this plain text; None for an unknown, expired or revoked one.

    Its last use is noted once a minute at most, so that a trainer's calls write nothing.
    """
    now = timezone.now()
    token = (
        ApiToken.objects.select_related("project", "created_by")
        .filter(token_sha256=secret_sha256(plaintext), revoked_at__isnull=True)
        .filter(project__deleted_at__isnull=True)
        .filter(Q(expires_at__isnull=True) | Q(expires_at__gt=now))
        .first()
    )
    if token and (token.last_used_at is None or token.last_used_at < now - USE_NOTED_EVERY):
        ApiToken.objects.filter(pk=token.pk).update(last_used_at=now)
    return token
