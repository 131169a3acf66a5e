"""Restoring the demo project."""

from __future__ import annotations

from typing import cast

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from apps.accounts import access
from apps.accounts.models import User
from apps.accounts.selectors import projects_seen_by
from apps.studio import demo


@access.signed_in
@require_POST
def restore_demo(request: HttpRequest) -> HttpResponse:
    """Bring the demo project in where it is missing; who restores it administers it."""
    user = cast(User, request.user)
    restored = demo.restore_demo(actor=user)
    if not projects_seen_by(user).filter(slug=demo.SLUG).exists():
        messages.error(
            request, _("The demo project is there already: ask who administers it to invite you.")
        )
        return redirect("studio:projects")
    is_new = restored is not None and restored.is_new
    messages.success(
        request,
        _("The demo project is back.") if is_new else _("The demo project is there already."),
    )
    return redirect("studio:overview", slug=demo.SLUG)
