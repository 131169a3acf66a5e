"""Constraints in words: what is asked for, and whether a checker answers it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from django.utils.translation import gettext as _

from apps.specs.models import Constraint
from rubricstudio.core.checkers.registry import find_type
from rubricstudio.core.types import IFEVAL

VALUE_CHARACTERS = 200
PUBLISHED = "given as "
"""How the evidence of a published constraint begins; the rest is its name in the data set."""


class Asked(Protocol):
    """A constraint as a row or as a value."""

    @property
    def type(self) -> str: ...
    @property
    def params(self) -> Mapping[str, Any]: ...
    @property
    def options(self) -> Mapping[str, Any]: ...
    @property
    def dialect(self) -> str: ...


@dataclass(frozen=True)
class ShownConstraint:
    """A constraint with its number on the page."""

    number: int
    row: Constraint
    words: str
    options: str

    @property
    def type_words(self) -> str:
        return type_words(self.row)

    @property
    def published_as(self) -> str:
        """Its name in the data set that it was published in; empty where it was found."""
        evidence = self.row.evidence
        return evidence.removeprefix(PUBLISHED) if evidence.startswith(PUBLISHED) else ""

    @property
    def quoted(self) -> str:
        """The words of the prompt that ask for it; empty where there are none."""
        return "" if self.published_as else self.row.evidence


def shown_constraints(rows: Iterable[Constraint]) -> list[ShownConstraint]:
    return [
        ShownConstraint(number, one, asked_words(one), _options(one))
        for number, one in enumerate(rows, 1)
    ]


def type_words(constraint: Asked) -> str:
    """The name of a type; of a published id its last part, for the rest is its family."""
    published = constraint.dialect == IFEVAL
    name = constraint.type.rpartition(":")[2] if published else constraint.type
    return name.replace("_", " ")


def asked_words(constraint: Asked) -> str:
    """What a constraint asks; an instruction by its meaning, for its name does not tell it."""
    words = constraint_words(constraint.params)
    kind = find_type(constraint.type, constraint.dialect)
    if constraint.dialect != IFEVAL or kind is None:
        return words
    return f"{kind.meaning} ({words})" if words else kind.meaning


def _options(constraint: Asked) -> str:
    if constraint.dialect == IFEVAL:
        return _("read loosely") if constraint.options.get("loose") else ""
    return _pairs(constraint.options)


def constraint_words(params: Mapping[str, Any]) -> str:
    """Parameters as people read them: `at most 220`, `paragraph 2`, `“anticoagulant”`."""
    rest = dict(params)
    words = []
    if "op" in rest and "value" in rest:
        words.append(f"{_comparison(rest.pop('op'))} {rest.pop('value')}")
    if "n" in rest:
        words.append(_("paragraph %(n)s") % {"n": rest.pop("n")})
    if "text" in rest:
        words.append(_quoted(rest.pop("text")))
    if "requirement" in rest:
        words.append(_value(rest.pop("requirement")))
        rest = {}  # how it was stated before, and its code by hash
    if "phrases" in rest:
        words.append(", ".join(_quoted(one) for one in rest.pop("phrases")))
    told = _pairs({name: one for name, one in rest.items() if name not in ("match", "require")})
    return "; ".join(filter(None, [*words, told]))


def _comparison(op: str) -> str:
    words = {
        "eq": _("exactly"),
        "ge": _("at least"),
        "le": _("at most"),
        "gt": _("more than"),
        "lt": _("fewer than"),
        "ne": _("not"),
    }
    return words.get(op, op)


def _pairs(values: Mapping[str, Any]) -> str:
    return "; ".join(f"{name.replace('_', ' ')} {_value(one)}" for name, one in values.items())


def _value(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    shown = text.replace("\n", "⏎")
    return shown if len(shown) <= VALUE_CHARACTERS else f"{shown[:VALUE_CHARACTERS]}…"


def _quoted(text: Any) -> str:
    return f"“{_value(text)}”"
