"""Passages that a rubric may lean on, and reference answers."""

from __future__ import annotations

from typing import Any, NamedTuple

from django.utils.translation import gettext as _

from apps.prompts.reading import RowError
from apps.prompts.shapes.columns import Fields, structured

TITLE_CHARACTERS = 500
URL_CHARACTERS = 1000
TEXT_KEYS = ("text", "content", "passage", "contents", "page_content", "body")
URL_KEYS = ("url", "link", "source")


class PassageValue(NamedTuple):
    """A source text in its order."""

    title: str
    text: str
    url: str


def read_passages(fields: Fields) -> list[PassageValue]:
    """The passages of a row; a column of another shape stays a column."""
    field = fields.peek("passages")
    value = structured(field.value) if field and fields.table else field and field.value
    items = [value] if isinstance(value, str) and value.strip() else value
    if field is None or not isinstance(items, list) or not all(map(_is_passage, items)):
        return []
    fields.use(field)
    return [_passage(item) for item in items]


def _is_passage(item: Any) -> bool:
    return isinstance(item, str) or (isinstance(item, dict) and bool(_first_text(item, TEXT_KEYS)))


def _passage(item: Any) -> PassageValue:
    if isinstance(item, str):
        return PassageValue("", item, "")
    passage = PassageValue(
        _first_text(item, ("title",)), _first_text(item, TEXT_KEYS), _first_text(item, URL_KEYS)
    )
    if len(passage.title) > TITLE_CHARACTERS or len(passage.url) > URL_CHARACTERS:
        raise RowError(
            _("a passage has a title over %(title)d or a URL over %(url)d characters.")
            % {"title": TITLE_CHARACTERS, "url": URL_CHARACTERS}
        )
    return passage


def _first_text(item: dict[str, Any], names: tuple[str, ...]) -> str:
    texts = (item.get(name) for name in names)
    return next((text for text in texts if isinstance(text, str) and text.strip()), "")


def read_references(fields: Fields) -> list[str]:
    """The reference answers of a row; a column of another shape stays a column."""
    field = fields.peek("references")
    if field is None:
        return []
    # An answer such as "[1, 2]" is a text; a cell may also hold a list of texts.
    listed = structured(field.value) if fields.table else field.value
    texts = _reference_texts(listed) or _reference_texts(field.value)
    # An object (HealthBench) holds more than the texts, so it stays among the columns.
    if texts and not isinstance(listed, dict):
        fields.use(field)
    return texts


def _reference_texts(value: Any) -> list[str]:
    if isinstance(value, dict):
        others = value.get("ideal_completions_ref_completions") or []
        value = [value.get("ideal_completion"), *(others if isinstance(others, list) else [])]
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = str(value)
    items = value if isinstance(value, list) else [value]
    if not all(item is None or isinstance(item, str) for item in items):
        return []
    return [item for item in items if item and item.strip()]
