"""DATABASES from an address; the address is known before the server runs (rubricstudio.local)."""

from typing import Any
from urllib.parse import parse_qsl, unquote

from rubricstudio.local.paths import split_database_url


def parse_database_url(url: str) -> dict[str, Any]:
    """`postgresql://user:password@host:port/name?host=/socket/folder` as Django's DATABASES entry.

    Other query parameters (sslmode …) go to the connection as they are. Raises LocalError.
    """
    parts = split_database_url(url)
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
