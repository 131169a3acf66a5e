"""Texts as they are compared and shown: the last user turn, folded white space, excerpts."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from rubricstudio.core.types import Message, Role

EXCERPT_CHARACTERS = 300
# All that str.split takes for white space among the ASCII characters, but for the space.
ASCII_SPACE = "\t\n\v\f\r\x1c\x1d\x1e\x1f"


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
    if "  " in text or _has_other_space(text):
        return " ".join(text.split())
    return text.strip()


def _has_other_space(text: str) -> bool:
    """Whether there is white space but the space; beyond ASCII, other unprintables count too."""
    if text.isascii():
        return any(map(text.__contains__, ASCII_SPACE))
    return not text.isprintable()
