"""What a program may say to the API."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _
from ninja import Schema
from pydantic import ConfigDict, field_validator
from pydantic_core import PydanticCustomError


class Wish(Schema):
    """An object with the fields that are declared and no other: one that is misspelt is no wish.

    Without this a list, or an object of unknown fields, would be all defaults.
    """

    model_config = ConfigDict(extra="forbid")

    @field_validator("*", mode="before")
    @classmethod
    def _can_be_stored(cls, value: Any) -> Any:
        """Refuse text that no database keeps, however deep it lies."""
        left = [value]
        while left:
            one = left.pop()
            if isinstance(one, str):
                _check_text(one)
            elif isinstance(one, dict):
                left += [*one.keys(), *one.values()]
            elif isinstance(one, list):
                left += one
        return value


def _check_text(text: str) -> None:
    if "\x00" in text:
        raise _refusal(_("holds a NUL character, which no database keeps: remove it."))
    try:
        text.encode()
    except UnicodeEncodeError:
        raise _refusal(_("holds half of a surrogate pair: repair or drop it.")) from None


def _refusal(sentence: str) -> PydanticCustomError:
    """An error whose sentence is not preceded by words of the library."""
    return PydanticCustomError("not_storable", "{sentence}", {"sentence": sentence})
