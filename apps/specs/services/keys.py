"""Keys of criteria that mean one requirement for as long as a prompt has specs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from apps.prompts.models import PromptRevision
from apps.specs.models import Criterion
from rubricstudio.core import types as core


def lasting_keys(
    criteria: Sequence[core.Criterion], revision: PromptRevision
) -> tuple[core.Criterion, ...]:
    """The criteria of a spec that is made anew, keyed against its earlier versions.

    A text that an earlier version had keeps its key, and no new text takes a key that stood for
    another: verdicts and statistics go by the key.
    """
    rows = Criterion.objects.filter(spec__prompt_revision=revision).order_by("spec__version")
    text_of = dict(rows.values_list("key", "text"))
    key_of = {text: key for key, text in text_of.items()}
    taken = {*text_of, *(one.key for one in criteria)}
    kept = []
    for one in criteria:
        key = key_of.get(one.text, one.key)
        if text_of.get(key, one.text) != one.text:
            key = _free_key(key, taken)
            taken.add(key)
        kept.append(replace(one, key=key))
    return tuple(kept)


def _free_key(key: str, taken: Iterable[str]) -> str:
    number = 2
    while f"{key}-{number}" in taken:
        number += 1
    return f"{key}-{number}"
