"""API tokens of a project: made, shown once, and ended for good."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, cast

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from apps.accounts import access, selectors, services
from apps.accounts.access import ProjectRequest
from apps.accounts.forms import TokenForm
from apps.accounts.models import ApiToken
from apps.activity.confirming import Confirmation, ask_for_name
from apps.activity.errors import BadInput

UNUSABLE = 422


@access.project(access.ADMINS)
@never_cache
@require_http_methods(["GET", "POST"])
def tokens(request: HttpRequest, slug: str) -> HttpResponse:
    """The tokens; a new one's secret is shown on the page that answers, and never again."""
    admitted = cast(ProjectRequest, request)
    if request.method == "GET":
        return _page(admitted, TokenForm())
    form = TokenForm(request.POST)
    if not form.is_valid():
        return _page(admitted, form, status=UNUSABLE)
    try:
        created = _create(admitted, form.cleaned_data)
    except BadInput as error:
        form.add_error(None, error.message)
        return _page(admitted, form, status=UNUSABLE)
    return _page(admitted, TokenForm(), created=created.token, secret=created.plaintext)


def _create(request: ProjectRequest, said: dict[str, Any]) -> services.CreatedToken:
    days = said["days"]
    return services.create_token(
        project=request.project,
        name=said["name"],
        scopes=said["scopes"],
        expires_at=timezone.now() + timedelta(days=days) if days else None,
        created_by=request.actor,
    )


@access.project(access.ADMINS)
@require_http_methods(["GET", "POST"])
def revoke_token(request: HttpRequest, slug: str, api_token: int) -> HttpResponse:
    """End a token: what uses it stops working at once, so its name is typed first."""
    admitted = cast(ProjectRequest, request)
    token = get_object_or_404(ApiToken, pk=api_token, project=admitted.project)
    refused = ask_for_name(request, _confirmation(token, slug), frame="accounts/settings.html")
    if refused is not None:
        return refused
    services.revoke_token(token=token, actor=admitted.actor)
    messages.success(request, _("The token %(name)s is revoked.") % {"name": token.name})
    return redirect("accounts:tokens", slug=slug)


def _confirmation(token: ApiToken, slug: str) -> Confirmation:
    return Confirmation(
        title=_("Revoke a token"),
        sentence=_("Whatever uses this token is refused from now on. It cannot be undone."),
        expected=token.name,
        act=_("Revoke the token"),
        back=reverse("accounts:tokens", args=[slug]),
        counts=[
            (_("Begins with"), token.prefix),
            (_("It may"), ", ".join(token.scopes)),
            (_("Last used"), token.last_used_at or _("never")),
        ],
    )


def _page(
    request: ProjectRequest, form: TokenForm, *, status: int = 200, **context: Any
) -> HttpResponse:
    context |= {"form": form, "tokens": selectors.tokens_of(request.project)}
    return render(request, "accounts/tokens.html", context, status=status)
