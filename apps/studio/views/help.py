"""Help, and the theme."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST, require_safe

from apps.accounts import access

A_YEAR = 365 * 24 * 3600


@access.signed_in
@require_safe
def help_page(request: HttpRequest) -> HttpResponse:
    """How do I …?"""
    return render(request, "studio/help.html")


@access.public
@require_POST
def theme(request: HttpRequest) -> HttpResponse:
    """Keep the theme in a cookie, so that the first byte of a page knows it."""
    back = request.POST.get("next", "")
    safe = url_has_allowed_host_and_scheme(back, allowed_hosts={request.get_host()})
    response = redirect(back if safe else "studio:home")
    chosen = request.POST.get("theme", "")
    if chosen in ("light", "dark"):
        secure = settings.SESSION_COOKIE_SECURE
        response.set_cookie("theme", chosen, max_age=A_YEAR, samesite="Lax", secure=secure)
    else:
        response.delete_cookie("theme", samesite="Lax")
    return response
