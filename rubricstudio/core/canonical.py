"""The canonical JSON form, and the hashes that rest on it.

One value has one text: keys sorted by code point, no white space, UTF-8 without escapes that JSON
does not need, no NaN and no infinity. A float with an integral value up to 2^53 is written as the
integer it equals (``3.0`` as ``3``, ``-0.0`` as ``0``), any other float by the shortest digits
that read back to the same number. Reading a canonical text and writing it again changes nothing.
"""

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from typing import Final

from rubricstudio.core.errors import CanonicalError

LARGEST_EXACT_INTEGER: Final = 2**53
_WRITER: Final = json.JSONEncoder(sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def canonical_json(value: object) -> bytes:
    """The canonical UTF-8 text of a JSON value: mappings, lists, tuples, text, numbers, null.

    Raises :class:`CanonicalError` for anything that JSON or UTF-8 cannot hold.
    """
    try:
        text = _WRITER.encode(_plain(value))
        return text.encode("utf-8")
    except _Unfit as error:
        place = error.place.lstrip(".")
        where = f"the value at {place}" if place else "the value"
        raise CanonicalError(f"{where} {error}") from None
    except UnicodeEncodeError as error:
        raise CanonicalError(
            f"the text holds half of a surrogate pair (character {error.start} of the JSON), "
            "which UTF-8 cannot hold; repair or drop that character"
        ) from error
    except (ValueError, RecursionError) as error:
        raise CanonicalError(
            f"the value is nested too deep, or a number too long: {error}"
        ) from None


def sha256_hex(data: bytes) -> str:
    """The sha256 of the bytes, as 64 lower-case hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


def canonical_hash(value: object) -> str:
    """The sha256 of the canonical form of a value."""
    return sha256_hex(canonical_json(value))


def _plain(value: object) -> object:
    """The value in dictionaries, lists and plain numbers, or an error that tells its place."""
    kind = type(value)
    if kind is str or kind is int or kind is bool or value is None:
        return value
    if isinstance(value, float):
        return _number(value)
    if isinstance(value, list | tuple):
        return _plain_list(value)
    # A dictionary is told at once; asking for any mapping is slow.
    if isinstance(value, dict | Mapping):
        return _plain_mapping(value)
    # A subclass such as an enumeration counts as the text or the number that it is.
    if isinstance(value, str | int):
        return str(value) if isinstance(value, str) else int(value)
    raise _Unfit(f"is a {kind.__name__}, which JSON cannot hold")


class _Unfit(Exception):
    """A value that JSON cannot hold; ``place`` grows while the error rises."""

    place = ""


def _plain_mapping(value: Mapping[object, object]) -> dict[str, object]:
    plain: dict[str, object] = {}
    for key, item in value.items():
        if not isinstance(key, str):
            raise _Unfit(f"has the key {key!r:.60}, and JSON keys are text")
        try:
            plain[key] = _plain(item)
        except _Unfit as error:
            error.place = f".{key}{error.place}"
            raise
    return plain


def _plain_list(value: Sequence[object]) -> list[object]:
    plain: list[object] = []
    for index, item in enumerate(value):
        try:
            plain.append(_plain(item))
        except _Unfit as error:
            error.place = f"[{index}]{error.place}"
            raise
    return plain


def _number(value: float) -> int | float:
    if not math.isfinite(value):
        raise _Unfit(f"is {value}, and JSON has only finite numbers")
    if value.is_integer() and abs(value) <= LARGEST_EXACT_INTEGER:
        return int(value)
    return float(value)
