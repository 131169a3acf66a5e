"""The gate: lets a request through to its view, or says why not."""

from __future__ import annotations

from typing import Any, NamedTuple, cast

from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import CsrfViewMiddleware
from django.utils.translation import gettext as _

from apps.accounts import selectors, services
from apps.accounts.access import Kind, Policy, ProjectRequest
from apps.accounts.models import ApiToken, Project, Role, User


class Refusal(NamedTuple):
    """401: nobody is signed in; 403: not with these rights; 404: not to be seen at all."""

    status: int
    message: str


def admit(request: HttpRequest, policy: Policy, arguments: dict[str, Any]) -> Refusal | None:
    """None when the request may go on; a project's request then carries project and actor."""
    if policy.kind is Kind.PUBLIC:
        return None
    if policy.is_api and "Authorization" in request.headers:
        slug = None if policy.kind is Kind.TOKEN else arguments["slug"]
        return _admit_token(request, policy, slug)
    if policy.kind is Kind.TOKEN:
        return Refusal(401, _("Send a token as Authorization: Bearer."))
    if not request.user.is_authenticated:
        return Refusal(401, _("Sign in, or send a token as Authorization: Bearer."))
    if policy.kind is Kind.SIGNED_IN:
        return None
    if policy.kind is Kind.SITE_ADMIN:
        return None if request.user.is_superuser else _not_allowed()
    return _admit_member(request, policy, arguments["slug"])


def _admit_token(request: HttpRequest, policy: Policy, slug: str | None) -> Refusal | None:
    """`slug` is None where the address names no project: the token's own is meant."""
    scheme, _space, plaintext = request.headers["Authorization"].partition(" ")
    token = services.authenticate_token(plaintext.strip()) if scheme.lower() == "bearer" else None
    if token is None:
        return Refusal(401, _("This token is unknown, revoked or expired."))
    if slug is not None and token.project.slug != slug:
        return _not_found()
    if policy.scope is not None and policy.scope not in token.scopes:
        return Refusal(403, _("This token lacks the scope %s.") % policy.scope.value)
    _carry(request, token.project, token=token)
    return None


def _admit_member(request: HttpRequest, policy: Policy, slug: str) -> Refusal | None:
    user = cast(User, request.user)
    found = selectors.project_of(user, slug)
    if found is None:
        return _not_found()
    project, roles = found
    if not roles & policy.roles:
        return _not_allowed()
    if policy.kind is Kind.API and (forged := _forged(request)):
        return forged
    _carry(request, project, user=user, roles=roles)
    return None


def _forged(request: HttpRequest) -> Refusal | None:
    """The API is exempt from the middleware's check, for tokens; a browser's session is not."""
    check = _CsrfCheck(_no_view)
    check.process_request(request)
    if check.process_view(request, _no_view, (), {}) is None:
        return None
    return Refusal(403, _("The CSRF token is missing or wrong: load the page again."))


def _no_view(request: HttpRequest) -> HttpResponse:
    return HttpResponse()


class _CsrfCheck(CsrfViewMiddleware):
    """Django's own check, without the page that it refuses with."""

    def _reject(self, request: HttpRequest, reason: str) -> HttpResponse:
        return HttpResponse(reason, status=403)


def _carry(
    request: HttpRequest,
    project: Project,
    *,
    user: User | None = None,
    token: ApiToken | None = None,
    roles: frozenset[Role] = frozenset(),
) -> None:
    admitted = cast(ProjectRequest, request)
    admitted.project, admitted.roles = project, roles
    admitted.actor, admitted.token = user, token


def _not_found() -> Refusal:
    return Refusal(404, _("There is no such project, or you cannot see it."))


def _not_allowed() -> Refusal:
    return Refusal(403, _("Your role does not allow this: ask an administrator of the project."))
