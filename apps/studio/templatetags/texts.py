"""Long texts of people and models: as a card, and as what changed between two of them."""

from __future__ import annotations

from typing import Any

import regex
from django import template

from apps.studio.markdown import render_markdown
from rubricstudio.core.differences import Change, Difference, word_differences

register = template.Library()

# What a card shows of a text; the rest is behind a link.
SHOWN = 20_000
# A cut looks for the end of a line or sentence this far back.
LOOK_BACK = 400
LOOKED_AT = 600
LEAST_SHARE = 0.2
SCRIPTS = (
    ("ja", regex.compile(r"[\p{Hiragana}\p{Katakana}]")),
    ("ko", regex.compile(r"\p{Hangul}")),
    ("zh", regex.compile(r"\p{Han}")),
    ("he", regex.compile(r"\p{Hebrew}")),
    ("ar", regex.compile(r"\p{Arabic}")),
)
LETTER = regex.compile(r"\p{L}")
ENDS = regex.compile(r"(?r)\n|[.!?。！？]\s?")


@register.inclusion_tag("components/response.html")
def response(
    text: str,
    *,
    title: str = "",
    note: str = "",
    lang: str = "",
    all_href: str = "",
    key: str = "",
    limit: int = SHOWN,
) -> dict[str, Any]:
    """A response: rendered or raw, to copy, folded when it is long.

    `note` stands beside the title; `all_href` leads to the whole text when it is longer than
    `limit` characters; `key` is the key that turns between rendered and raw, on one card a page.
    """
    shown = cut(text, limit)
    return {
        "title": title,
        "note": note,
        "lang": lang or script_lang(text),
        "all_href": all_href,
        "key": key,
        "raw": shown,
        "rendered": render_markdown(shown),
        "shown": len(shown),
        "characters": len(text),
        "words": len(text.split()),
    }


def cut(text: str, limit: int) -> str:
    """The text up to `limit` characters, ending with a line or a sentence where one ends near."""
    if len(text) <= limit:
        return text
    found = ENDS.search(text, max(limit - LOOK_BACK, 0), limit)
    return text[: found.end()] if found else text[:limit]


@register.filter
def script_lang(text: str) -> str:
    """The language that the script of a text suggests, empty for Latin: fonts and line height."""
    start = text[:LOOKED_AT]
    letters = len(LETTER.findall(start))
    for lang, script in SCRIPTS:
        if letters and len(script.findall(start)) >= LEAST_SHARE * letters:
            return lang
    return ""


@register.inclusion_tag("components/word_diff.html")
def word_diff(before: str, after: str, *, sides: bool = False) -> dict[str, Any]:
    """What changed between two texts, in one text or side by side."""
    found = word_differences(before, after)
    removed = [one for one in found if one.change is not Change.ADDED]
    added = [one for one in found if one.change is not Change.REMOVED]
    columns = [removed, added] if sides else [found]
    return {"columns": [_pieces(some) for some in columns], "same": before == after}


def _pieces(found: list[Difference]) -> list[dict[str, str]]:
    return [{"change": one.change.value, "text": one.text} for one in found]
