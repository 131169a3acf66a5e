"""One stretch of bytes out of a file, as the header Range asks for it (RFC 9110, section 14)."""

from __future__ import annotations

import re
from typing import NamedTuple

from django.utils.translation import gettext as _

from apps.activity.errors import ApplicationError

ONE_RANGE = re.compile(r"\s*bytes\s*=\s*(\d{0,18})\s*-\s*(\d{0,18})\s*", re.IGNORECASE | re.ASCII)


class ByteRange(NamedTuple):
    """Bytes ``first`` to ``last``, both included, counted from 0."""

    first: int
    last: int

    @property
    def length(self) -> int:
        return self.last - self.first + 1


class Unsatisfiable(ApplicationError):
    """The range begins behind the end of the file."""

    status = 416


def parse_range(header: str, size: int) -> ByteRange | None:
    """The range that a header asks for in a file of ``size`` bytes.

    ``None`` for what a server may ignore and answer in full: another unit, several ranges, or a
    malformed one. Raises :class:`Unsatisfiable`.
    """
    match = ONE_RANGE.fullmatch(header)
    if match is None or not any(match.groups()):
        return None
    first, last = (int(digits) if digits else None for digits in match.groups())
    if first is None:
        return _last_bytes(last or 0, size)
    if last is not None and last < first:
        return None
    if first >= size:
        raise _refusal(size)
    return ByteRange(first, size - 1 if last is None else min(last, size - 1))


def _last_bytes(count: int, size: int) -> ByteRange:
    if not count or not size:
        raise _refusal(size)
    return ByteRange(max(size - count, 0), size - 1)


def _refusal(size: int) -> Unsatisfiable:
    return Unsatisfiable(
        _("The file has %(size)d bytes, and the range that was asked for lies behind them.")
        % {"size": size}
    )
