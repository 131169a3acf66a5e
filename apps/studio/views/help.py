"""Help, and the theme."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from apps.accounts import access
from apps.studio.glossary import glossary
from apps.studio.navigation import KEYS
from apps.studio.selectors import step_label

A_YEAR = 365 * 24 * 3600


@access.signed_in
@require_safe
def help_page(request: HttpRequest) -> HttpResponse:
    """How do I …? The flow step by step, the words of the house, and the keys."""
    return render(request, "studio/help.html", {"glossary": glossary(), "keys": _keys()})


def _keys() -> list[tuple[str, str]]:
    """The keys that work on every page, or on every list."""
    return [
        ("?", _("all keys of the page you are on")),
        ("Control+k", _("search, or jump to a page, a project or a thing by its number")),
        ("j", _("the next row of a list; also the arrow down")),
        ("k", _("the row before; also the arrow up")),
        ("Enter", _("open the row, or press the filled button")),
        ("/", _("search in a list")),
        ("ArrowRight", _("the next page of a list")),
        ("ArrowLeft", _("the page before")),
        ("Escape", _("close the drawer, a dialog or a menu")),
        ("z", _("undo what was just done")),
        ("g h", _("go home")),
        ("g v", _("go to the overview of the project")),
        *((key, _("go to %(page)s") % {"page": step_label(step)}) for step, key in KEYS.items()),
        ("g j", _("go to the jobs")),
    ]


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
