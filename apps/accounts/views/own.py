"""What a person sees and changes about themselves."""

from __future__ import annotations

from typing import Any, cast

from django.contrib import messages
from django.contrib.auth import logout, update_session_auth_hash
from django.forms import Form
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from apps.accounts import access, selectors, services
from apps.accounts.forms import PasswordForm, ProfileForm
from apps.accounts.models import User
from apps.accounts.views.language import speak_to
from apps.activity.errors import BadInput

UNUSABLE = 422


@access.signed_in
@require_safe
def account(request: HttpRequest) -> HttpResponse:
    """Name, language, theme, password, sessions, tokens."""
    return _page(request)


@access.signed_in
@require_POST
def save_profile(request: HttpRequest) -> HttpResponse:
    """How others read the name, and the language."""
    form = ProfileForm(request.POST)
    if not form.is_valid():
        return _page(request, profile=form, status=UNUSABLE)
    services.change_profile(user=_user(request), **form.cleaned_data)
    messages.success(request, _("Your name and language are saved."))
    return speak_to(_user(request), redirect("accounts:account"))


@access.signed_in
@require_POST
def save_password(request: HttpRequest) -> HttpResponse:
    """Set a password; this session goes on, every other one ends."""
    user = _user(request)
    form = PasswordForm(request.POST, has_one=user.has_usable_password())
    if not form.is_valid():
        return _page(request, password=form, status=UNUSABLE)
    said = form.cleaned_data
    try:
        services.change_password(user=user, current=said.get("current", ""), new=said["new"])
    except BadInput as error:
        form.add_error(None, error.message)
        return _page(request, password=form, status=UNUSABLE)
    update_session_auth_hash(request, user)
    messages.success(request, _("Your password is set; your other sessions have ended."))
    return redirect("accounts:account")


@access.signed_in
@require_POST
def end_sessions(request: HttpRequest) -> HttpResponse:
    """Sign out everywhere, here too."""
    services.end_sessions(user=_user(request))
    logout(request)
    return redirect("accounts:sign_in")


def _user(request: HttpRequest) -> User:
    return cast(User, request.user)


def _page(
    request: HttpRequest,
    *,
    profile: Form | None = None,
    password: Form | None = None,
    status: int = 200,
) -> HttpResponse:
    user = _user(request)
    said = {"display_name": user.display_name, "language": user.language}
    context: dict[str, Any] = {
        "profile": profile or ProfileForm(initial=said),
        "password": password or PasswordForm(has_one=user.has_usable_password()),
        "has_password": user.has_usable_password(),
        "tokens": selectors.tokens_by(user),
        "places": selectors.places_of(user),
    }
    return render(request, "accounts/account.html", context, status=status)
