"""Which column of a row plays which part, whatever it is called in this file."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Set
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

from django.utils.translation import gettext as _

from apps.prompts.reading import RowError, kind_of, parse_json

KEY_CHARACTERS = 200
NUMBER = re.compile(r"-?(0|[1-9][0-9]{0,14})(\.[0-9]{1,15})?")


@dataclass(frozen=True, eq=False)
class Parts:
    """Parts with the names that a column may have for each, the likeliest first.

    Compared by identity, since it is looked up with every row.
    """

    names: Mapping[str, tuple[str, ...]]


Mapped = tuple[tuple[str, str], ...]
"""Parts with the column that a person named for each."""


class Field(NamedTuple):
    """A column with its value in one row."""

    name: str
    value: Any


class Fields:
    """The values of one row by the parts they play; what nothing used is left for `columns`."""

    def __init__(
        self, values: Mapping[str, Any], parts: Parts, *, mapped: Mapped = (), table: bool = False
    ) -> None:
        self.values = values
        self.table = table
        self._found = find_parts(tuple(values), parts, mapped)
        self._used: set[str] = set()

    def peek(self, part: str) -> Field | None:
        """The first column of this part that is not null; it stays among the columns."""
        for name in self._found.get(part, ()):
            if name not in self._used and (value := self.values[name]) is not None:
                return Field(name, value)
        return None

    def first(self, part: str) -> Field | None:
        """The first column of this part, be it null."""
        name = next(iter(self._found.get(part, ())), None)
        return None if name is None else Field(name, self.values[name])

    def has(self, part: str) -> bool:
        """Whether there is such a column, be it null."""
        return part in self._found

    def has_any(self, parts: Set[str]) -> bool:
        """Whether there is a column for one of these parts."""
        return not parts.isdisjoint(self._found)

    def use(self, field: Field) -> Any:
        """The value, which is then no longer among the columns."""
        self._used.add(field.name)
        return field.value

    def take(self, part: str) -> Any:
        """Peek and use: the value, or None."""
        field = self.peek(part)
        return None if field is None else self.use(field)

    def rest(self) -> dict[str, Any]:
        """The columns that nothing used; a table's numbers become numbers."""
        left = {name: value for name, value in self.values.items() if name not in self._used}
        return {name: typed(value) for name, value in left.items()} if self.table else left


@lru_cache(maxsize=512)
def find_parts(names: tuple[str, ...], parts: Parts, mapped: Mapped) -> dict[str, tuple[str, ...]]:
    """The columns among these names that may play each part; parts without one are left out."""
    known = {plain_name(name): name for name in reversed(names)}
    found = {
        part: tuple(known[one] for one in wanted if one in known)
        for part, wanted in parts.names.items()
    }
    found.update({part: (name,) if name in names else () for part, name in mapped})
    return {part: columns for part, columns in found.items() if columns}


@lru_cache(maxsize=4096)
def plain_name(name: str) -> str:
    """Small letters, with underscores for spaces and hyphens."""
    return re.sub(r"[\s-]+", "_", name.strip().casefold())


def typed(cell: str) -> Any:
    """A table's cell as a number where it is written as one; "007" and "1e5" stay text."""
    return json.loads(cell) if NUMBER.fullmatch(cell) else cell


def structured(value: Any) -> Any:
    """A value that should be a list or an object; a text that holds one as JSON is read."""
    if not isinstance(value, str) or value.lstrip()[:1] not in ("[", "{"):
        return value
    try:
        return parse_json(value)
    except RowError:
        return value


def as_key(field: Field) -> str | None:
    """An id as text; None for one that is left out. Raises RowError for what is no id."""
    value = field.value
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise RowError(
            _("%(name)s is %(kind)s, and an id is a text or a number.")
            % {"name": field.name, "kind": kind_of(value)}
        )
    key = str(value).strip()
    if len(key) > KEY_CHARACTERS:
        raise RowError(
            _("%(name)s has %(count)d characters; an id has at most %(limit)d.")
            % {"name": field.name, "count": len(key), "limit": KEY_CHARACTERS}
        )
    check_storable(key, field.name)
    return key or None


def check_storable(text: str, name: str) -> None:
    """Refuse what UTF-8 or PostgreSQL cannot hold."""
    if "\x00" in text:
        raise RowError(nul_reason(name))
    try:
        text.encode()
    except UnicodeEncodeError:
        raise RowError(
            _("%(name)s holds half of a surrogate pair: repair or drop that character.")
            % {"name": name}
        ) from None


def nul_reason(name: str) -> str:
    return _("%(name)s holds a NUL character, which no database keeps: remove it.") % {"name": name}
