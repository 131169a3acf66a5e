"""Where the parts of a spec came from: published, or asked of which model with which template."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext as _

from apps.calls.models import Call, TemplateVersion


@dataclass(frozen=True)
class ShownTemplate:
    """A template that was used: its name, its version where it is known, its hash."""

    name: str
    version: int | None
    sha256: str


@dataclass(frozen=True)
class ShownRole:
    """What was asked of one model in one role."""

    name: str
    model: str
    embedded: bool
    templates: list[ShownTemplate]
    calls: list[Call]
    read: str
    flags: list[str]


@dataclass(frozen=True)
class ShownProvenance:
    """`sources` says of each part whether it was published or written by a model."""

    sources: list[tuple[str, str]] = field(default_factory=list)
    roles: list[ShownRole] = field(default_factory=list)
    versions: list[tuple[str, str]] = field(default_factory=list)
    edited: bool = False

    @property
    def embedded(self) -> bool:
        """Whether the small built-in model had a hand in it."""
        return any(one.embedded for one in self.roles)


def shown_provenance(
    provenance: Mapping[str, Any],
    *,
    calls: Sequence[Call],
    templates: Mapping[str, TemplateVersion],
) -> ShownProvenance:
    parts = {"criteria": _("Rubric"), "constraints": _("Constraints")}
    by_pk = {one.pk: one for one in calls}
    return ShownProvenance(
        sources=[
            (parts.get(part, part), source_words(source))
            for part, source in provenance.get("from", {}).items()
        ],
        roles=[
            _role(name, asked, by_pk, templates)
            for name, asked in provenance.get("asked", {}).items()
        ],
        versions=list(provenance.get("versions", {}).items()),
        edited="edited_from" in provenance,
    )


def source_words(source: str) -> str:
    words = {
        "given": _("published with the prompt"),
        "rules": _("read in the prompt by rules"),
        "model": _("written by a model"),
        "rules+model": _("read in the prompt by rules and by a model"),
    }
    return words.get(source, source)


def _role(
    name: str,
    asked: Mapping[str, Any],
    calls: Mapping[int, Call],
    templates: Mapping[str, TemplateVersion],
) -> ShownRole:
    names = {
        "label": _("Task label"),
        "rubric": _("Rubric"),
        "constraints": _("Constraints"),
    }
    configuration = asked.get("configuration", {})
    return ShownRole(
        name=names.get(name, name),
        model=configuration.get("model", ""),
        embedded=bool(configuration.get("embedded")),
        templates=[
            _template(title, sha256, templates)
            for title, sha256 in asked.get("templates", {}).items()
        ],
        calls=[calls[pk] for pk in asked.get("calls", []) if pk in calls],
        read=_read(asked.get("read", {})),
        flags=[str(one).replace("_", " ") for one in asked.get("flags", [])],
    )


def _template(name: str, sha256: str, templates: Mapping[str, TemplateVersion]) -> ShownTemplate:
    known = templates.get(sha256)
    return ShownTemplate(name, known.version if known else None, sha256)


def _read(read: Mapping[str, Any]) -> str:
    """What was read of the label: what counts, and what the model said where that differs."""
    if "label" not in read:
        return ""
    said = _("%(label)s, confidence %(confidence).2f") % {
        "label": read["label"].replace("_", " "),
        "confidence": read.get("confidence", 0),
    }
    if read.get("said") in (None, read["label"]):
        return said
    return _("%(read)s (it said %(said)s)") % {
        "read": said,
        "said": read["said"].replace("_", " "),
    }
