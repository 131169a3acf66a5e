"""The columns of a matrix: what is asked, how much it weighs, whether it counts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from apps.rewards.services import contents_of
from apps.specs.showing.words import asked_words, type_words
from apps.studio.matrix.cells import CellMaker
from apps.studio.matrix.scene import Scene
from apps.studio.matrix.table import CHECKER, CRITERION, DROPPED, OVERALL, UNUSED, Column
from rubricstudio.core.rewards import GLOBAL_KEY, Component
from rubricstudio.core.rewards.cells import Item
from rubricstudio.core.types import Constraint, Criterion, Polarity, SpecValue

LONGEST_NAME: Final = 24
SPEAKING: Final = re.compile(r"[^\W\d_]{3}")
CRITICAL: Final = "critical"
NAMED: Final = 3
COMPONENTS: Final = {
    CRITERION: Component.RUBRIC,
    CHECKER: Component.CODE,
    OVERALL: Component.GLOBAL,
}


def columns_of(spec: SpecValue) -> list[Column]:
    """The items of a group in the order of its spec."""
    heaviest = max((one.weight for one in spec.criteria), default=1.0)
    criteria = [_criterion(one, at, heaviest) for at, one in enumerate(spec.criteria, start=1)]
    keys = contents_of(spec)[1]
    checkers = [
        _checker(key, one, at)
        for at, (key, one) in enumerate(zip(keys, spec.constraints, strict=True), start=1)
    ]
    whole = _("A judge's opinion of the whole response, 0 to 10, without sight of the rubric.")
    overall = Column(GLOBAL_KEY, OVERALL, "G", _("Global score"), whole)
    return [*criteria, *checkers, overall]


def _criterion(one: Criterion, at: int, heaviest: float) -> Column:
    return Column(
        key=one.key,
        kind=CRITERION,
        label=f"C{at}",
        name=short_name(one.key, one.text),
        text=one.text,
        weight=one.weight,
        share=one.weight / heaviest,
        bucket=one.bucket,
        hard=one.essential is True or one.tier == CRITICAL,
        negative=one.polarity is Polarity.NEGATIVE,
    )


def _checker(key: str, one: Constraint, at: int) -> Column:
    name = type_words(one).replace(":", " ").capitalize()
    asked = asked_words(one)
    text = f"{name}: {asked}" if asked else name
    return Column(key, CHECKER, f"K{at}", _cut(name), text, hard=True)


def short_name(key: str, text: str) -> str:
    """What stands above a column: the key where it speaks, else the beginning of the text."""
    spoken = key.replace("_", " ").replace("-", " ")
    words = [part for part in spoken.split() if SPEAKING.search(part)]
    return _cut(spoken.capitalize() if len(words) > 1 else text)


def _cut(text: str) -> str:
    if len(text) <= LONGEST_NAME:
        return text
    cut = text[:LONGEST_NAME].rsplit(" ", 1)[0] or text[:LONGEST_NAME]
    return f"{cut.rstrip(' ,;:.')}…"


def settled(column: Column, scene: Scene, items: Mapping[str, Item], maker: CellMaker) -> Column:
    """The column with its mean, and whether it counts for the reward."""
    item = items.get(column.key)
    known = [value for value in item.cells if value is not None] if item else []
    mean = sum(known) / len(known) if known else None
    if scene.result is None:
        return replace(column, state=UNUSED, why=scene.problem, mean=mean)
    if column.key in scene.result.dropped:
        return replace(column, state=DROPPED, why=_lacking(column, scene, maker))
    component = COMPONENTS[column.kind]
    parts = [one.components.get(component) for one in scene.result.members]
    if all(part is None for part in parts):
        why = _("Not in the reward configuration.")
        return replace(column, state=UNUSED, why=why, mean=mean)
    return replace(column, mean=mean)


def _lacking(column: Column, scene: Scene, maker: CellMaker) -> str:
    """Who has no value, and why: what one rollout lacks counts for nobody."""
    cells = [
        (at, maker.cell(rollout.pk, column.key)) for at, rollout in enumerate(scene.members, 1)
    ]
    lacking = [(at, cell.word) for at, cell in cells if cell.value is None]
    words = [f"r{at} ({word[:1].lower()}{word[1:]})" for at, word in lacking[:NAMED]]
    more = len(lacking) - NAMED
    if more > 0:
        words.append(ngettext("%d more", "%d more", more) % more)
    return _("Dropped for the whole group: %(who)s.") % {"who": ", ".join(words)}
