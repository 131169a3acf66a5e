"""API keys at rest: encrypted with a key that lies in the data folder, not in the database."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path

from cryptography.fernet import Fernet, InvalidToken
from django.conf import settings
from django.utils.translation import gettext as _

from apps.activity.errors import Blocked
from apps.calls.models import ModelEndpoint


def encrypt(secret: str) -> bytes:
    """The secret as it may stand in a row; an empty one stays empty."""
    return Fernet(_key()).encrypt(secret.encode()) if secret else b""


def api_key_of(endpoint: ModelEndpoint) -> str:
    """The key that the endpoint's server asks for; raises `Blocked` when it cannot be read."""
    stored = bytes(endpoint.api_key_encrypted)
    if not stored:
        return ""
    try:
        return Fernet(_key()).decrypt(stored).decode()
    except InvalidToken:
        raise Blocked(
            _(
                "The API key of the endpoint %(name)s was encrypted with another key file than "
                "%(file)s: enter the API key again, or put the old key file back."
            )
            % {"name": endpoint.name, "file": settings.ENCRYPTION_KEY_FILE}
        ) from None


def _key() -> bytes:
    path = Path(settings.ENCRYPTION_KEY_FILE)
    if not path.exists():
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        _write_once(path, Fernet.generate_key())
    return path.read_bytes()


def _write_once(path: Path, key: bytes) -> None:
    """Of several processes that start at once, one writes; nobody sees the file half written."""
    # A temporary file is readable by its owner only, and so is its second name.
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".new-") as file:
        file.write(key)
        file.flush()
        with contextlib.suppress(FileExistsError):
            os.link(file.name, path)
