"""The cells of a matrix: what a judge or a checker said, as a shape, a word and an address."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from apps.judging.models import CellState, CheckOutcome
from apps.rewards.services import contents_of
from apps.studio.matrix.scene import Scene
from apps.studio.matrix.table import Cell
from apps.studio.selectors import groups as selectors
from apps.studio.selectors.groups import CellRow, CheckRow
from rubricstudio.core.rewards import GLOBAL_KEY
from rubricstudio.core.rewards.cells import Item
from rubricstudio.core.types import Criterion, Polarity, SpecValue

Place = tuple[int, str]
"""A rollout by its id, and the key of an item."""

CHECK_PREFIX = "check-"
"""The address of an outcome within its group, so that it cannot be taken for a verdict's."""


@dataclass(frozen=True)
class CellMaker:
    """Says what stands in any cell of a group. `waits`: the run has not ended."""

    criteria: Mapping[str, Criterion]
    current: Mapping[Place, Sequence[CellRow]]
    stale: Mapping[Place, CellRow]
    outcomes: Mapping[Place, CheckRow]
    items: Mapping[str, Item]
    places: Mapping[int, int]
    waits: bool

    @classmethod
    def of(cls, scene: Scene, spec: SpecValue, items: Mapping[str, Item]) -> CellMaker:
        """For the group of a scene under its spec, in two queries."""
        run = scene.basis.judge_run
        current, stale = _verdicts(scene, spec)
        return cls(
            criteria={one.key: one for one in spec.criteria},
            current=current,
            stale=stale,
            outcomes=_outcomes(scene, spec),
            items=items,
            places={rollout.pk: at for at, rollout in enumerate(scene.members)},
            waits=run is not None and run.finished_at is None,
        )

    def cell(self, rollout_id: int, key: str) -> Cell:
        """What stands in one cell."""
        item = self.items.get(key)
        value = item.cells[self.places[rollout_id]] if item else None
        place = (rollout_id, key)
        if place in self.outcomes:
            return _checked(self.outcomes[place], value)
        if place in self.current:
            rows = self.current[place]
            return _judged(rows, value, self.criteria.get(key))
        if place in self.stale:
            row = self.stale[place]
            return Cell("stale", _("Judged by an older text"), str(row.pk))
        return Cell("queued", _("Queued") if self.waits else _("Not judged"))


def _verdicts(
    scene: Scene, spec: SpecValue
) -> tuple[dict[Place, list[CellRow]], dict[Place, CellRow]]:
    """The verdicts by cell: those on what is asked now, and those on an older text."""
    asked = contents_of(spec)[0]
    current: dict[Place, list[CellRow]] = {}
    stale: dict[Place, CellRow] = {}
    for row in selectors.verdicts_in_group(scene.basis.judge_run, scene.group):
        key = GLOBAL_KEY if row.key is None else row.key
        if row.key is None or asked.get(key) == row.content:
            current.setdefault((row.rollout_id, key), []).append(row)
        else:
            stale[row.rollout_id, key] = row
    return current, stale


def _outcomes(scene: Scene, spec: SpecValue) -> dict[Place, CheckRow]:
    found = selectors.outcomes_in_group(scene.basis.check_run, scene.group)
    said = {(one.rollout_id, one.content): one for one in found}
    return {
        (rollout.pk, key): said[rollout.pk, content]
        for key, content in contents_of(spec)[1].items()
        for rollout in scene.members
        if (rollout.pk, content) in said
    }


def _checked(row: CheckRow, value: float | None) -> Cell:
    address = f"{CHECK_PREFIX}{row.pk}"
    if row.result == CheckOutcome.Result.UNAVAILABLE:
        return Cell("unscored", _("Unavailable"), address, value)
    if row.result == CheckOutcome.Result.PASSED:
        return Cell("yes", _("Passed"), address, value)
    return Cell("no", _("Failed"), address, value)


def _judged(rows: Sequence[CellRow], value: float | None, criterion: Criterion | None) -> Cell:
    row, address = rows[0], str(rows[0].pk)
    if value is None:
        return _without_score(row, address)
    if criterion is None:
        return Cell("number", f"{10 * value:.2g}", address, value)
    word = _word(value, negative=criterion.polarity is Polarity.NEGATIVE)
    if len(rows) > 1:
        word = _("%(word)s, mean of %(number)d") % {"word": word, "number": len(rows)}
    return Cell("yes" if value >= 1 else "no" if value <= 0 else "part", word, address, value)


def _word(value: float, *, negative: bool) -> str:
    """The answer; of something undesirable it is said whether it is there."""
    if negative:
        return _("Absent") if value >= 1 else _("Present") if value <= 0 else _("Partly present")
    return _("Yes") if value >= 1 else _("No") if value <= 0 else _("Part")


def _without_score(row: CellRow, address: str) -> Cell:
    reason = row.reason.replace("_", " ")
    if row.state == CellState.FAILED:
        return Cell("failed", _("Failed: %(reason)s") % {"reason": reason}, address)
    if row.state == CellState.SCORED:
        return Cell("unscored", _("Unscored: off scale"), address)
    return Cell("unscored", _("Unscored: %(reason)s") % {"reason": reason}, address)
