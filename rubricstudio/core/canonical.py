"""The canonical JSON form, and the hashes that rest on it.

One value has one text: keys sorted by code point, no white space, UTF-8 without escapes that JSON
does not need, no NaN and no infinity. A float with an integral value up to 2^53 is written as the
integer it equals (``3.0`` as ``3``, ``-0.0`` as ``0``), any other float by the shortest digits
that read back to the same number. Reading a canonical text and writing it again changes nothing.
"""

import hashlib
import json
import math
from collections.abc import Mapping
from typing import Final

from rubricstudio.core.errors import CanonicalError

LARGEST_EXACT_INTEGER: Final = 2**53


def canonical_json(value: object) -> bytes:
    """The canonical UTF-8 text of a JSON value: mappings, lists, tuples, text, numbers, null.

    Raises :class:`CanonicalError` for anything that JSON or UTF-8 cannot hold.
    """
    plain = _plain(value, "")
    try:
        text = json.dumps(plain, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise CanonicalError(
            f"the text holds half of a surrogate pair (character {error.start} of the JSON), "
            "which UTF-8 cannot hold; repair or drop that character"
        ) from error


def sha256_hex(data: bytes) -> str:
    """The sha256 of the bytes, as 64 lower-case hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


def canonical_hash(value: object) -> str:
    """The sha256 of the canonical form of a value."""
    return sha256_hex(canonical_json(value))


def _plain(value: object, where: str) -> object:
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, str):
        return str(value)
    if isinstance(value, float):
        return _number(value, where)
    if isinstance(value, Mapping):
        return {_key(key, where): _plain(item, f"{where}.{key}") for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item, f"{where}[{index}]") for index, item in enumerate(value)]
    raise CanonicalError(f"{_place(where)} is a {type(value).__name__}, which JSON cannot hold")


def _number(value: float, where: str) -> int | float:
    if not math.isfinite(value):
        raise CanonicalError(f"{_place(where)} is {value}, and JSON has only finite numbers")
    if value.is_integer() and abs(value) <= LARGEST_EXACT_INTEGER:
        return int(value)
    return float(value)


def _key(key: object, where: str) -> str:
    if isinstance(key, str):
        return str(key)
    raise CanonicalError(f"{_place(where)} has the key {key!r}, and JSON keys are text")


def _place(where: str) -> str:
    return f"the value at {where.lstrip('.')}" if where else "the value"
