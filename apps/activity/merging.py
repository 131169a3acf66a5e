"""Two people edit the same fields: what one of them left alone is taken from the other.

A form says what its fields held when it was shown (`seen_of`, a hash a field). When it comes back,
a field that only one side changed has that side's text; one that both changed to different texts is
a conflict, which a person settles.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from django.utils.translation import gettext as _

from apps.activity.errors import Conflict
from rubricstudio.core.canonical import sha256_hex

HASH_LENGTH = 16
Fields = Mapping[str, str]


class BothChanged(NamedTuple):
    """A field that two people changed to different texts."""

    name: str
    mine: str
    theirs: str


def seen_of(fields: Fields) -> str:
    """What the fields hold, in a form for a hidden input."""
    return " ".join(f"{name}={_hash(text)}" for name, text in fields.items())


def merged(*, mine: Fields, now: Fields, seen: str) -> dict[str, str]:
    """The fields as they should be stored. Raises Conflict with `both_changed`."""
    before = dict(part.split("=", 1) for part in seen.split() if "=" in part)
    both_changed = [
        BothChanged(name, text, now[name])
        for name, text in mine.items()
        if text != now[name] and before.get(name) not in (_hash(text), _hash(now[name]))
    ]
    if both_changed:
        raise Conflict(
            _("Somebody else changed this meanwhile: choose which text to keep."),
            both_changed=both_changed,
        )
    return {
        name: now[name] if before.get(name) == _hash(text) else text for name, text in mine.items()
    }


def _hash(text: str) -> str:
    return sha256_hex(text.encode("utf-8", "surrogatepass"))[:HASH_LENGTH]
