"""The language of a person's pages: kept with the account, and told to each page by a cookie."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpResponse

from apps.accounts.models import User


def speak_to(user: User, response: HttpResponse) -> HttpResponse:
    """Set the cookie to the account's language; without one the browser's own language counts."""
    name = settings.LANGUAGE_COOKIE_NAME
    if user.language in dict(settings.LANGUAGES):
        response.set_cookie(name, user.language, samesite="Lax")
    else:
        response.delete_cookie(name, samesite="Lax")
    return response
