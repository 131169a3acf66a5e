"""DATABASES from an address; the address is known before the server runs (rubricstudio.local)."""

from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

SCHEMES = {"postgres", "postgresql"}


def parse_database_url(url: str) -> dict[str, Any]:
    """`postgresql://user:password@host:port/name?host=/socket/folder` as Django's DATABASES entry.

    Other query parameters (sslmode …) go to the connection as they are.
    """
    parts = urlsplit(url)
    if parts.scheme not in SCHEMES or not parts.path.strip("/"):
        raise ImproperlyConfigured(
            "DATABASE_URL must look like postgresql://user:password@host:port/name; "
            "PostgreSQL 15 or newer is the only database."
        )
    options = dict(parse_qsl(parts.query))
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": unquote(parts.path.strip("/")),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": options.pop("host", None) or unquote(parts.hostname or ""),
        "PORT": str(options.pop("port", None) or parts.port or ""),
        "OPTIONS": options,
    }
