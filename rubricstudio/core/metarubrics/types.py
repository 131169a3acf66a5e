"""Meta-rubrics: what rubrics are made from. A general one holds for every prompt, a domain's adds.

Paper 004, section 3: principles, criteria with tiers, and failure modes, from which the criteria of
one prompt or one comparison are made.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from enum import StrEnum
from typing import Any, Final, TypeVar

from rubricstudio.core.canonical import canonical_hash
from rubricstudio.core.errors import MetaRubricError
from rubricstudio.core.types import Json

MOST_CRITERIA: Final = 20
LONGEST_TEXT: Final = 2_000
_KEY: Final = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")


class Tier(StrEnum):
    """How much a criterion matters: critical ones decide alone, the others weigh 5, 2 and 1."""

    CRITICAL = "critical"
    CORE = "core"
    IMPORTANT = "important"
    HIGHLIGHT = "highlight"


class MetaScope(StrEnum):
    """Whether a meta-rubric holds for every prompt, or for those of one domain."""

    GENERAL = "general"
    DOMAIN = "domain"


@dataclass(frozen=True, slots=True)
class Principle:
    """A sentence that every rubric made from this keeps to."""

    key: str
    text: str


@dataclass(frozen=True, slots=True)
class MetaCriterion:
    """A criterion that a prompt's rubric may draw on.

    ``points`` say what to look at, ``applies`` when it is used (empty: always).
    """

    key: str
    title: str
    text: str
    tier: Tier = Tier.IMPORTANT
    points: tuple[str, ...] = ()
    applies: str = ""


@dataclass(frozen=True, slots=True)
class FailureMode:
    """A way to fail; a critical one is never weighed against anything."""

    key: str
    text: str
    critical: bool = False


Entry = Principle | MetaCriterion | FailureMode
Keyed = TypeVar("Keyed", Principle, MetaCriterion, FailureMode)


@dataclass(frozen=True, slots=True)
class MetaRubric:
    """One version of a meta-rubric.

    ``removes`` names entries of the general meta-rubric that a domain does without. Raises
    :class:`MetaRubricError` for keys that are no keys, or stand twice; texts that are blank or too
    long; more than 20 criteria; a domain that has no name.
    """

    name: str
    scope: MetaScope
    summary: str = ""
    domain: str = ""
    principles: tuple[Principle, ...] = ()
    criteria: tuple[MetaCriterion, ...] = ()
    failure_modes: tuple[FailureMode, ...] = ()
    weighting: str = ""
    instantiation: tuple[str, ...] = ()
    removes: tuple[str, ...] = field(default=())

    def __post_init__(self) -> None:
        if not self.name.strip():
            raise MetaRubricError("a meta-rubric needs a name")
        if (self.scope is MetaScope.DOMAIN) != bool(self.domain.strip()):
            raise MetaRubricError("a meta-rubric names a domain exactly when its scope is domain")
        if self.removes and self.scope is MetaScope.GENERAL:
            raise MetaRubricError("a general meta-rubric has nothing to remove from")
        if len(self.criteria) > MOST_CRITERIA:
            raise MetaRubricError(
                f"{self.name} has {len(self.criteria)} criteria; {MOST_CRITERIA} are the most, "
                "since a judge cannot keep more apart"
            )
        self._check_entries()

    def _check_entries(self) -> None:
        seen: set[str] = set()
        for entry in self.entries():
            if not _KEY.fullmatch(entry.key):
                raise MetaRubricError(
                    f"{entry.key!r:.60} is no key; use small letters, digits and single hyphens"
                )
            if entry.key in seen:
                raise MetaRubricError(f"the key {entry.key} stands twice in {self.name}")
            seen.add(entry.key)
            if not entry.text.strip() or len(entry.text) > LONGEST_TEXT:
                raise MetaRubricError(
                    f"the text of {entry.key} is blank, or longer than {LONGEST_TEXT:,} characters"
                )

    def entries(self) -> tuple[Entry, ...]:
        """Principles, criteria and failure modes, in this order."""
        return (*self.principles, *self.criteria, *self.failure_modes)

    def content_hash(self) -> str:
        """A sha256 of all that a rubric made from it depends on; the name is not part of it."""
        content = self.to_dict()
        del content["name"]
        return canonical_hash(content)

    def to_dict(self) -> dict[str, Json]:
        """The stored form; every key is always there."""
        return {
            "name": self.name,
            "scope": self.scope.value,
            "domain": self.domain,
            "summary": self.summary,
            "principles": [_row(one) for one in self.principles],
            "criteria": [_row(one) for one in self.criteria],
            "failure_modes": [_row(one) for one in self.failure_modes],
            "weighting": self.weighting,
            "instantiation": list(self.instantiation),
            "removes": list(self.removes),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "MetaRubric":
        """Read ``to_dict``'s form; absent keys take their defaults, unknown ones are refused."""
        unknown = sorted(set(data) - {one.name for one in fields(cls)})
        if unknown:
            raise MetaRubricError(f"a meta-rubric has no {unknown[0]!r:.60}")
        return cls(
            name=_text(data, "name"),
            scope=_one_of(MetaScope, "scope", data.get("scope")),
            domain=_text(data, "domain"),
            summary=_text(data, "summary"),
            principles=tuple(_entry(Principle, one) for one in _list(data, "principles")),
            criteria=tuple(_criterion(one) for one in _list(data, "criteria")),
            failure_modes=tuple(_entry(FailureMode, one) for one in _list(data, "failure_modes")),
            weighting=_text(data, "weighting"),
            instantiation=tuple(str(one) for one in _list(data, "instantiation")),
            removes=tuple(str(one) for one in _list(data, "removes")),
        )


def _row(entry: Entry) -> dict[str, Json]:
    values = {one.name: getattr(entry, one.name) for one in fields(entry)}
    return {name: list(one) if isinstance(one, tuple) else one for name, one in values.items()}


def _text(data: Mapping[str, Any], name: str) -> str:
    value = data.get(name, "")
    if not isinstance(value, str):
        raise MetaRubricError(f"the {name} of a meta-rubric is {value!r:.40}; it has to be text")
    return value


def _list(data: Mapping[str, Any], name: str) -> Sequence[Any]:
    value = data.get(name) or []
    if not isinstance(value, list | tuple):
        raise MetaRubricError(f"{name} is {value!r:.40}; it has to be a list")
    return value


Kind = TypeVar("Kind", bound=StrEnum)


def _one_of(kind: type[Kind], name: str, value: Any) -> Kind:
    try:
        return kind(value)
    except ValueError:
        known = ", ".join(kind)
        raise MetaRubricError(f"the {name} is {value!r:.40}; it has to be one of {known}") from None


def _entry(kind: type[Keyed], data: Any) -> Keyed:
    if not isinstance(data, Mapping):
        raise MetaRubricError(f"an entry is {data!r:.60}; it has to be an object with key and text")
    known = {one.name for one in fields(kind)}
    unknown, lacking = sorted(set(data) - known), sorted({"key", "text"} - set(data))
    if unknown or lacking:
        wrong = f"has no {unknown[0]!r:.40}" if unknown else f"needs {lacking[0]}"
        raise MetaRubricError(f"the entry {data.get('key', '')!r:.60} {wrong}")
    return kind(**data)


def _criterion(data: Any) -> MetaCriterion:
    if not isinstance(data, Mapping):
        return _entry(MetaCriterion, data)
    given = dict(data)
    given["title"] = str(given.get("title") or given.get("key", ""))
    given["tier"] = _one_of(Tier, "tier", given.get("tier", Tier.IMPORTANT))
    given["points"] = tuple(str(one) for one in _list(given, "points"))
    return _entry(MetaCriterion, given)


def by_key(entries: Iterable[Keyed]) -> dict[str, Keyed]:
    """The entries by their keys, in order."""
    return {entry.key: entry for entry in entries}
