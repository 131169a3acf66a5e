"""Parameters and options of constraint types in words, and their values as fields hold them."""

from __future__ import annotations

import re
from typing import Any

from django.utils.translation import gettext_lazy as _

from rubricstudio.core.checkers.params import Kind, Param

LABELS = {
    "blank_lines": _("Blank lines count"),
    "case": _("Upper and lower case"),
    "cjk": _("Chinese and Japanese"),
    "divider": _("What stands between paragraphs"),
    "headings": _("Headings count"),
    "high": _("Upper number"),
    "ignore_final_punct": _("Overlook final punctuation"),
    "list_items": _("List items count"),
    "markdown": _("Markdown"),
    "match": _("How it is looked for"),
    "max_count": _("How often at most"),
    "min_count": _("How often at least"),
    "op": _("How the count is compared"),
    "paragraphs": _("Exact number of paragraphs"),
    "phrases": _("Words or phrases"),
    "quotes": _("Curly and straight quotes"),
    "require": _("All or any of them"),
    "scope": _("Which part counts"),
    "text": _("Text"),
    "tolerance": _("Tolerance"),
    "value": _("Number"),
}
CHOICES = {
    "op": {
        "eq": _("exactly"),
        "ne": _("any number but"),
        "lt": _("fewer than"),
        "le": _("at most"),
        "gt": _("more than"),
        "ge": _("at least"),
        "between": _("between"),
        "approx": _("about"),
    },
    "case": {"ignore": _("are the same"), "match": _("differ")},
    "quotes": {"fold": _("are the same"), "keep": _("differ")},
    "cjk": {"characters": _("each character is a word"), "runs": _("each run is a word")},
    "markdown": {"raw": _("as it is written"), "rendered": _("as it is read")},
    "match": {
        "word": _("as a word of its own"),
        "substring": _("anywhere"),
        "exact": _("anywhere, character by character"),
    },
    "require": {"all": _("all of them"), "any": _("any of them")},
    "scope": {
        "whole": _("the whole response"),
        "outside_code": _("all but code"),
        "prose": _("all but code and addresses"),
    },
}
BREAK = "⏎"
"""Stands for a line break in a field whose lines are texts, or that has one line."""

_WRITTEN = re.compile(rf"(\\?){BREAK}")


def label_of(name: str, param: Param) -> Any:
    if name == "n":
        is_place = param.kind is Kind.POSITION or param.meaning.startswith("which")
        return _("Which one") if is_place else _("How many")
    return LABELS.get(name) or name.replace("_", " ").capitalize()


def choices_of(name: str, param: Param) -> list[tuple[str, Any]]:
    """The choices of a menu; with nothing as the first where nothing may be said."""
    words = CHOICES.get(name, {})
    choices = [(value, words.get(value, value.replace("_", " "))) for value in param.choices]
    return choices if param.required or param.default is not None else [("", "–"), *choices]


def in_field(param: Param, value: Any) -> Any:
    """A value as its field shows it, or else the default of its parameter."""
    kind, value = param.kind, param.default if value is None else value
    if value is None:
        return False if kind is Kind.FLAG else ""
    if kind is Kind.TEXTS:
        return "\n".join(_with_signs(str(one)) for one in value)
    if kind is Kind.PAIRS:
        return "\n".join(f"{key} = {one}" for key, one in value.items())
    return _with_signs(value) if kind is Kind.DIVIDER else value


def from_field(kind: Kind, text: Any) -> Any:
    """What a field holds, as the type reads it; None for an empty field.

    What is no number stays text, so that the type can say what it has to be.
    """
    if kind in (Kind.FLAG, Kind.CHOICE):
        return text if text != "" else None
    if kind is Kind.TEXTS:
        return [_with_breaks(line) for line in text.split("\n") if line.strip()] or None
    if kind is Kind.PAIRS:
        pairs = [line.partition("=") for line in text.split("\n") if line.strip()]
        return {key.strip(): one.strip() for key, _sign, one in pairs} or None
    if kind is Kind.DIVIDER:
        return _with_breaks(text) or None
    if kind is Kind.TEXT:
        return text if text.strip() else None
    return _number(text.strip()) if text.strip() else None


def _with_signs(text: str) -> str:
    return text.replace(BREAK, f"\\{BREAK}").replace("\n", BREAK)


def _with_breaks(text: str) -> str:
    return _WRITTEN.sub(lambda match: BREAK if match[1] else "\n", text)


def _number(text: str) -> Any:
    plain = text.replace(",", "").replace("\N{NARROW NO-BREAK SPACE}", "")
    share = plain.endswith("%")
    try:
        number = float(plain.removesuffix("%"))
    except ValueError:
        return text
    if share:
        return number / 100
    return int(plain) if plain.lstrip("+-").isascii() and plain.lstrip("+-").isdecimal() else number
