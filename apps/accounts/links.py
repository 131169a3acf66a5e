"""Addresses that are passed on by hand, so they are whole: SITE_URL and the path."""

from __future__ import annotations

from django.conf import settings
from django.urls import reverse


def sign_in_url(token: str) -> str:
    return _whole(reverse("accounts:sign_in_link", args=[token]))


def invitation_url(token: str) -> str:
    return _whole(reverse("accounts:invitation", args=[token]))


def _whole(path: str) -> str:
    return str(settings.SITE_URL).rstrip("/") + path
