"""Random secrets that are shown once; the database holds only their hash."""

from __future__ import annotations

import hashlib
import secrets


def new_secret(prefix: str = "") -> str:
    """256 random bits in URL-safe characters."""
    return prefix + secrets.token_urlsafe(32)


def secret_sha256(secret: str) -> str:
    """A plain hash is enough: a secret has too many bits to be guessed, unlike a password."""
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()
