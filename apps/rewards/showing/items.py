"""The items of a reward as a page shows them: a chip, a weight, what it adds, where it leads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from apps.judging.models import CellState, CheckOutcome, Verdict
from apps.judging.services import kind_of
from apps.rewards.services import Explanation, Line, Section
from apps.rewards.wording import COMPONENTS
from rubricstudio.core.rewards import Component
from rubricstudio.core.types import Polarity


@dataclass(frozen=True)
class Chip:
    """What was said: a shape of components/glyph.html or `number`, a word, a label for hover.

    `stale`: it was said of an older text, and does not count.
    """

    kind: str
    word: str
    label: str
    stale: bool = False


@dataclass(frozen=True)
class ShownItem:
    """An item with what a reader needs to check it."""

    line: Line
    title: str
    chip: Chip
    share_of_heaviest: float
    evidence: str
    tags: Sequence[str]
    notes: Sequence[str]


@dataclass(frozen=True)
class ShownSection:
    """A component with its items; the heaviest first."""

    section: Section
    label: str
    items: Sequence[ShownItem]


def shown_sections(explained: Explanation) -> list[ShownSection]:
    """The components that the configuration asks for, with at least one item."""
    return [
        ShownSection(
            section=section,
            label=str(COMPONENTS[section.component.component.value]),
            items=_items(section.lines),
        )
        for section in explained.sections
        if section.lines
    ]


def _items(lines: Sequence[Line]) -> list[ShownItem]:
    heaviest = max(abs(line.item.weight) for line in lines)
    ordered = sorted(lines, key=lambda line: -abs(line.item.weight))
    return [
        ShownItem(
            line=line,
            title=_title(line),
            chip=_chip(line),
            share_of_heaviest=abs(line.item.weight) / heaviest,
            evidence=_evidence(line),
            tags=_tags(line),
            notes=_notes(line),
        )
        for line in ordered
    ]


def _title(line: Line) -> str:
    if line.criterion is not None:
        return line.criterion.text
    if line.constraint is not None:
        return line.constraint.evidence or line.constraint.type.replace("_", " ")
    return _("The response as a whole, from 0 to 10")


def _chip(line: Line) -> Chip:
    if line.outcome is not None:
        return _checked(line.outcome)
    if line.verdicts:
        return _judged(line, line.verdicts[0])
    if line.stale:
        return _of_older_text(line, line.stale[0])
    if line.item.component is Component.CODE:
        return Chip("queued", _("Not checked"), _("Not checked"))
    return Chip("queued", _("Not judged"), _("Not judged"))


def _checked(outcome: CheckOutcome) -> Chip:
    words = {
        CheckOutcome.Result.PASSED: ("yes", _("Passed")),
        CheckOutcome.Result.FAILED: ("no", _("Failed")),
    }
    kind, word = words.get(CheckOutcome.Result(outcome.result), ("unscored", _("Unavailable")))
    return Chip(kind, word, outcome.reason or word)


def _of_older_text(line: Line, verdict: Verdict) -> Chip:
    word = _answer(line, verdict, verdict.score or 0.0) if verdict.answer else ""
    word = word or verdict.get_state_display()
    label = _("%(word)s (of an older text)") % {"word": word}
    return Chip(kind_of(verdict), word, label, stale=True)


def _judged(line: Line, verdict: Verdict) -> Chip:
    if verdict.state != CellState.SCORED:
        word = verdict.get_state_display()
        return Chip(verdict.state, word, f"{word}: {verdict.reason.replace('_', ' ')}")
    value = line.item.value
    if value is None:
        return Chip("unscored", _("Off scale"), _("The score lies outside its scale"))
    word = _answer(line, verdict, value)
    if len(line.verdicts) > 1:
        word = _("%(word)s, of %(number)d") % {"word": word, "number": len(line.verdicts)}
    if line.criterion is None:
        return Chip("number", word, word)
    # A weight below 0 takes points away where its value is 1.
    good = 1 - value if line.item.weight < 0 else value
    kind = "yes" if good >= 1 else "no" if good <= 0 else "part"
    return Chip(kind, word, word)


def _answer(line: Line, verdict: Verdict, value: float) -> str:
    """The answer as a word; of something undesirable it is said whether it is there."""
    criterion = line.criterion
    if criterion is None:
        return _("%(score)g of 10") % {"score": 10 * value}
    if criterion.levels is not None:
        return _("level %(level)s of %(levels)d") % {
            "level": verdict.answer,
            "levels": criterion.levels,
        }
    words = {"yes": _("Yes"), "part": _("Part"), "no": _("No")}
    if criterion.polarity is Polarity.NEGATIVE:
        words = {"yes": _("Present"), "part": _("Partly present"), "no": _("Absent")}
    return words.get(verdict.answer, f"{value:g}")


def _evidence(line: Line) -> str:
    if line.outcome is not None:
        return line.outcome.reason
    return next((one.evidence for one in (*line.verdicts, *line.stale)), "")


def _tags(line: Line) -> list[str]:
    criterion = line.criterion
    if criterion is None:
        return []
    kind = {True: _("essential"), False: _("optional"), None: ""}[criterion.essential]
    polarity = _("undesirable") if criterion.polarity is Polarity.NEGATIVE else ""
    return [tag for tag in (criterion.bucket, criterion.tier, kind, polarity) if tag]


def _notes(line: Line) -> list[str]:
    notes = []
    if not line.item.counts:
        notes.append(_("Counts for nobody: a rollout of the group has no score here."))
    if line.stale:
        notes.append(_("Judged by an older text, which does not count."))
    for verdict in line.verdicts:
        if verdict.state != CellState.SCORED:
            notes.append(f"{verdict.get_state_display()}: {verdict.reason.replace('_', ' ')}")
    return notes
