"""Texts as they are compared and shown: the last user turn, folded white space, excerpts."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from rubricstudio.core.types import Message, Role

EXCERPT_CHARACTERS = 300


def last_user_turn(messages: Sequence[Message]) -> str:
    """The text that a checker and a text match call the prompt; empty where nobody asks."""
    for message in reversed(messages):
        if message.role is Role.USER:
            return message.content
    return ""


def text_sha256(text: str) -> str:
    """The sha256 of a text with every stretch of white space folded into one space."""
    return hashlib.sha256(fold(text).encode()).hexdigest()


def fold(text: str) -> str:
    """Every stretch of white space as one space, and none at the ends."""
    # The only white space that is printable is the space: most lines need no splitting.
    if text.isprintable() and "  " not in text:
        return text.strip()
    return " ".join(text.split())
