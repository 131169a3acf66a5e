"""Errors of the application, each a sentence for people.

ApplicationError
├── NotAllowed       the act is known, this person may not do it
├── Conflict         somebody else was first, or the thing is in another state
├── BadInput         what was given cannot be used: what, where, what to do
├── TooSoon          it was tried too often; `seconds` says after how many it may be tried again
└── Blocked          nothing can go on until somebody does what the sentence says
"""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.utils.translation import gettext as _


class ApplicationError(Exception):
    """An act that could not be done; mapped to a reply in one place (rubricstudio/api.py)."""

    status = 400

    def __init__(self, message: object, **extra: Any) -> None:
        super().__init__(message)
        self.message = str(message)
        self.extra = extra


class NotAllowed(ApplicationError):
    status = 403


class Conflict(ApplicationError):
    status = 409


class BadInput(ApplicationError):
    status = 422


class TooSoon(ApplicationError):
    status = 429

    def __init__(self, message: object, *, seconds: int) -> None:
        super().__init__(message, seconds=seconds)
        self.seconds = seconds


class Blocked(ApplicationError):
    status = 503


def request_too_big() -> str:
    """What to say to a request whose body exceeds the limit."""
    limit = settings.DATA_UPLOAD_MAX_MEMORY_SIZE // 1024**2
    return _("The request is larger than %d MiB: send it in parts.") % limit
