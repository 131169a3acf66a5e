"""The words of the house, from docs/glossary.md, so that the page of help cannot say otherwise."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import NamedTuple

from django.conf import settings

HEAD = 2  # the labels of the table, and the line under them


class Entry(NamedTuple):
    """A word, or words that are told together, and what is meant by it."""

    word: str
    meaning: str


@cache
def glossary() -> list[Entry]:
    """The rows of the table, in its order."""
    text = Path(settings.BASE_DIR, "docs", "glossary.md").read_text()
    rows = [line for line in text.splitlines() if line.startswith("|")][HEAD:]
    return [_entry(row) for row in rows]


def _entry(row: str) -> Entry:
    word, _bar, meaning = row.strip("| ").partition(" | ")
    return Entry(word.strip(), meaning.strip().replace("`", ""))
