"""Errors of the application, each a sentence for people.

ApplicationError
├── NotAllowed       the act is known, this person may not do it
├── Conflict         somebody else was first, or the thing is in another state
├── BadInput         what was given cannot be used: what, where, what to do
└── Blocked          nothing can go on until somebody does what the sentence says
"""

from __future__ import annotations

from typing import Any


class ApplicationError(Exception):
    """An act that could not be done; mapped to a reply in one place (rubricstudio/api.py)."""

    status = 400

    def __init__(self, message: str, **extra: Any) -> None:
        super().__init__(message)
        self.message = str(message)
        self.extra = extra


class NotAllowed(ApplicationError):
    status = 403


class Conflict(ApplicationError):
    status = 409


class BadInput(ApplicationError):
    status = 422


class Blocked(ApplicationError):
    status = 503
