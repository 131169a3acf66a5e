"""Settings as named, versioned choices.

Whatever no paper states is a choice: a small frozen value with a kind, a version and parameters.
It is written out in full wherever a reward is computed or frozen, so that a later default, or a
corrected rule, never changes an old number in silence.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Any, ClassVar, Self, TypeVar

from rubricstudio.core.errors import SettingsError
from rubricstudio.core.types import Json

Kind = TypeVar("Kind", bound=StrEnum)


@dataclass(frozen=True)
class Choice:
    """A choice among named rules. Subclasses have a field ``kind`` and their parameters."""

    NAME: ClassVar[str]
    VERSION: ClassVar[int] = 1

    def to_dict(self) -> dict[str, Json]:
        """Kind, version and every parameter."""
        values = {one.name: getattr(self, one.name) for one in fields(self)}
        return {"version": self.VERSION, **{name: _plain(value) for name, value in values.items()}}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Read ``to_dict``'s form; absent parameters take their defaults.

        Raises :class:`SettingsError` for another version, an unknown parameter or a wrong value.
        """
        version = data.get("version", cls.VERSION)
        if version != cls.VERSION:
            raise SettingsError(
                f"the setting {cls.NAME} has the version {version!r:.20}, and this code knows "
                f"{cls.VERSION}; use the release that wrote it"
            )
        given = {name: value for name, value in data.items() if name != "version"}
        unknown = sorted(set(given) - {one.name for one in fields(cls)})
        if unknown:
            raise SettingsError(f"the setting {cls.NAME} has no {unknown[0]!r:.60}")
        return cls._read(given)

    @classmethod
    def _read(cls, given: Mapping[str, Any]) -> Self:
        try:
            return cls(**given)
        except SettingsError:
            raise
        except (TypeError, ValueError) as error:
            raise SettingsError(f"the setting {cls.NAME} cannot be read: {error}") from None


def _plain(value: Any) -> Json:
    if isinstance(value, StrEnum):
        return value.value
    return [list(item) for item in value] if isinstance(value, tuple) else value


def read_kind(name: str, kinds: type[Kind], value: str) -> Kind:
    """One of the named rules; raises :class:`SettingsError`."""
    try:
        return kinds(value)
    except ValueError:
        known = ", ".join(kinds)
        raise SettingsError(f"{name} is {value!r:.40}; it has to be one of {known}") from None


def read_number(name: str, value: Any, *, least: float, most: float = math.inf) -> float:
    """A finite number from ``least`` to ``most``; raises :class:`SettingsError`."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if is_number and math.isfinite(value) and least <= value <= most:
        return float(value)
    upper = "" if most == math.inf else f" and {most:g} at most"
    raise SettingsError(f"{name} is {value!r:.40}; it has to be {least:g} or more{upper}")
