"""From what is stored about a group to its matrix. Nothing is judged, nothing is written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from django.utils.translation import gettext_lazy as _

from apps.studio.matrix.cells import CellMaker
from apps.studio.matrix.columns import columns_of, settled
from apps.studio.matrix.scene import Scene
from apps.studio.matrix.table import OVERALL, Cell, Column, Matrix, Part, Row, Told
from apps.studio.selectors import groups as selectors
from rubricstudio.core.errors import SpecError
from rubricstudio.core.rewards import (
    CheckerErrorRule,
    Component,
    Inversion,
    Leverage,
    MemberReward,
    NoReward,
    contributions,
    inversions,
    leverage,
    pairs,
)
from rubricstudio.core.rewards.cells import Item, read_items

NO_REWARD = {
    NoReward.MISSING_ITEM: _("an item has no verdict"),
    NoReward.BELOW_COVERAGE: _("too little of its group was scored"),
    NoReward.NOTHING_SCORED: _("nothing was scored for the whole group"),
    NoReward.NO_WEIGHT: _("nothing that has weight was scored"),
}

MOST_TOLD = 20


def build_matrix(scene: Scene, *, key: str = "") -> Matrix:
    """The matrix of a group; `key` is the column whose inversion is drawn first."""
    if scene.gathered is None or scene.asked is None:
        return Matrix((), _rows(scene, (), None), problem=scene.problem)
    items = _items(scene)
    maker = CellMaker.of(scene, scene.asked, items)
    columns = [settled(one, scene, items, maker) for one in columns_of(scene.asked)]
    hanging = _leverage(scene, [one.key for one in columns if not one.state])
    ordered = tuple(sorted((_with(one, hanging) for one in columns), key=_by_leverage))
    found = _inversions(scene, columns, items, first=key)
    rows = _rows(scene, ordered, maker)
    by_number = {row.number: row for row in rows}
    return Matrix(
        columns=ordered,
        rows=_bracketed(rows, scene, found),
        pairs=pairs(scene.rewards),
        inversions=tuple(_told(one, scene, ordered, by_number) for one in found[:MOST_TOLD]),
        inverted=len(found),
        problem=scene.problem,
        outdated=_outdated(scene),
        stale=scene.gathered.stale,
        other_judge=scene.other_judge,
    )


def _items(scene: Scene) -> dict[str, Item]:
    """The cells as numbers; empty for a rubric that no aggregator here can read."""
    if scene.gathered is None:
        return {}
    rule = CheckerErrorRule.from_dict(scene.basis.settings.get("checker_error", {}))
    try:
        items = read_items(scene.gathered.group, frozenset(Component), rule)
    except SpecError:
        return {}
    return {item.key: item for item in items}


def _leverage(scene: Scene, keys: Sequence[str]) -> dict[str, Leverage]:
    if scene.result is None or scene.gathered is None:
        return {}
    group, rewards = scene.gathered.group, scene.rewards
    return leverage(scene.aggregator, group, keys, before=rewards, step=scene.step)


def _with(column: Column, hanging: Mapping[str, Leverage]) -> Column:
    found = hanging.get(column.key)
    return replace(column, changed=found.changed) if found else column


def _by_leverage(column: Column) -> tuple[bool, int, float]:
    """What counts first, what most hangs on first; otherwise by weight, in the spec's order."""
    changed = -1 if column.changed is None else column.changed
    return bool(column.state), -changed, -(column.weight or 0.0)


def _inversions(
    scene: Scene, columns: Sequence[Column], items: Mapping[str, Item], *, first: str
) -> tuple[Inversion, ...]:
    hard = [items[one.key] for one in columns if one.hard and one.key in items]
    found = inversions(hard, scene.rewards)
    return tuple(sorted(found, key=lambda one: one.key != first))


def _rows(scene: Scene, columns: Sequence[Column], maker: CellMaker | None) -> tuple[Row, ...]:
    """The rollouts, the best reward first; those without one at the end."""
    rewarded = scene.result.members if scene.result else [None] * len(scene.members)
    alpha = scene.result.alpha if scene.result else None
    rows = [
        Row(
            number=rollout.number,
            label=f"r{at}",
            policy=rollout.policy.name,
            step=rollout.step,
            reward=given.reward if given else None,
            why=_why(given),
            parts=_parts(given, alpha),
            cells=_cells(rollout.pk, columns, maker),
        )
        for at, (rollout, given) in enumerate(zip(scene.members, rewarded, strict=True), start=1)
    ]
    rows.sort(key=lambda row: (row.reward is None, -(row.reward or 0.0), row.number))
    return tuple(
        replace(row, rank=at if row.reward is not None else None)
        for at, row in enumerate(rows, start=1)
    )


def _cells(pk: int, columns: Sequence[Column], maker: CellMaker | None) -> tuple[Cell, ...]:
    if maker is None:
        return ()
    return tuple(
        maker.cell(pk, one.key)._replace(faded=bool(one.state) and one.kind != OVERALL)
        for one in columns
    )


def _why(given: MemberReward | None) -> str:
    return str(NO_REWARD.get(given.reason, "")) if given and given.reason else ""


def _parts(given: MemberReward | None, alpha: float | None) -> tuple[Part, ...]:
    """The stretches of the bar: what each component adds, else the reward as a whole."""
    if given is None or given.reward is None or alpha is None:
        return ()
    components = {Component(name): value for name, value in given.components.items()}
    parts, at = [], 0.0
    for component, width in contributions(components, alpha).items():
        parts.append(Part(component, at, width))
        at += width
    return tuple(parts)


def _bracketed(rows: Sequence[Row], scene: Scene, found: Sequence[Inversion]) -> tuple[Row, ...]:
    """The rows with a mark where one is inverted, and the first inversion drawn beside them."""
    numbers = {at: one.number for at, one in enumerate(scene.members)}
    inverted = {numbers[one.at] for one in found}
    marks = _bracket(rows, numbers, found[0]) if found else {}
    return tuple(
        replace(row, inverted=row.number in inverted, bracket=marks.get(row.number, ""))
        for row in rows
    )


def _bracket(rows: Sequence[Row], numbers: Mapping[int, int], one: Inversion) -> dict[int, str]:
    """Which piece of the bracket stands beside each row: from, over, past, last."""
    order = [row.number for row in rows]
    over = {numbers[at] for at in one.over}
    begin = order.index(numbers[one.at])
    end = max(order.index(number) for number in over)
    marks = {number: "over" if number in over else "past" for number in order[begin : end + 1]}
    return {**marks, order[begin]: "from", order[end]: "last"}


def _told(one: Inversion, scene: Scene, columns: Sequence[Column], rows: Mapping[int, Row]) -> Told:
    at = next(place for place, column in enumerate(columns) if column.key == one.key)
    row = rows[scene.members[one.at].number]
    others = [rows[scene.members[other].number] for other in one.over]
    over = tuple(
        (other, (other.reward or 0.0) - (row.reward or 0.0), other.cells[at]) for other in others
    )
    return Told(columns[at], row, over)


def _outdated(scene: Scene) -> bool:
    """Whether the reward run stored other numbers than its inputs give now."""
    run = scene.basis.reward_run
    if run is None or scene.basis.judge_run != run.judge_run:
        return False
    stored = selectors.stored_rewards(run, scene.group)
    now = {one.pk: reward for one, reward in zip(scene.members, scene.rewards, strict=True)}
    return stored != now
