"""Constraints in words: what is asked for, and whether a checker answers it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from apps.specs.models import Constraint

VALUE_CHARACTERS = 200
PUBLISHED = "given as "
"""How the evidence of a published constraint begins; the rest is its name in the data set."""


@dataclass(frozen=True)
class ShownConstraint:
    """A constraint with its number on the page."""

    number: int
    row: Constraint
    words: str
    options: str

    @property
    def type_words(self) -> str:
        return self.row.type.replace("_", " ")

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
        ShownConstraint(number, one, constraint_words(one.params), _pairs(one.options))
        for number, one in enumerate(rows, 1)
    ]


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
