"""A cell of a group's matrix: the evidence behind it, beside the matrix."""

from __future__ import annotations

from typing import Any, NamedTuple, cast

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from apps.accounts import access
from apps.accounts.access import ProjectRequest
from apps.judging.selectors import outcomes_in, verdicts_in
from apps.judging.views.checks import outcome_context
from apps.judging.views.verdicts import verdict_context
from apps.rollouts.models import Rollout
from apps.studio.matrix import Column, Matrix, Row, Scene, build_matrix
from apps.studio.matrix.cells import CHECK_PREFIX
from apps.studio.matrix.table import CHECKER
from apps.studio.views.groups import page_context, query_of, scene_for
from rubricstudio.core.rewards import GLOBAL_KEY, cost

LONGEST_ID = 18


class Found(NamedTuple):
    """What stands in a cell: the rollout, the key of its column, and what its drawer shows."""

    rollout: Rollout
    key: str | None
    drawer: dict[str, Any]


@access.project(access.READERS)
@require_safe
@vary_on_headers("HX-Request")
def group_cell(request: HttpRequest, slug: str, group: int, cell: str) -> HttpResponse:
    """The evidence of a cell: in the drawer, or with the matrix when it is a page of its own."""
    scene = scene_for(request, group)
    project = cast(ProjectRequest, request).project
    found = _outcome(project, scene, cell) or _verdict(project, scene, cell)
    key = _column_key(scene, found)
    matrix = build_matrix(scene, key=key)
    drawer = {**found.drawer, **_place(scene, matrix, found, cell, slug), "in_drawer": True}
    if request.headers.get("HX-Request"):
        return render(request, drawer["part"], drawer)
    page = page_context(request, scene, matrix, key=key)
    return render(
        request, "studio/group.html", {**page, **drawer, "open_row": found.rollout.number}
    )


def _verdict(project: Any, scene: Scene, cell: str) -> Found:
    verdicts = verdicts_in(project).filter(rollout__group=scene.group)
    one = get_object_or_404(verdicts, pk=_number(cell))
    drawer = {"part": "judging/_verdict.html", **verdict_context(one, slug=project.slug)}
    return Found(one.rollout, one.criterion.key if one.criterion else GLOBAL_KEY, drawer)


def _outcome(project: Any, scene: Scene, cell: str) -> Found | None:
    if not cell.startswith(CHECK_PREFIX):
        return None
    outcomes = outcomes_in(project).filter(rollout__group=scene.group)
    one = get_object_or_404(outcomes, pk=_number(cell.removeprefix(CHECK_PREFIX)))
    drawer = {"part": "judging/_outcome.html", **outcome_context(one, slug=project.slug)}
    return Found(one.rollout, None, drawer)


def _number(text: str) -> int:
    if not text.isdecimal() or len(text) > LONGEST_ID:
        raise Http404
    return int(text)


def _column_key(scene: Scene, found: Found) -> str:
    """The column of a cell; that of a checker is known by what it checks."""
    if found.key is not None:
        return found.key
    content = found.drawer["outcome"].checker.content_sha256
    return scene.checker_key(content)


def _place(scene: Scene, matrix: Matrix, found: Found, cell: str, slug: str) -> dict[str, Any]:
    """The title of the drawer, the cells beside this one, and what it costs the reward."""
    column = matrix.column(_column_key(scene, found))
    row = next(row for row in matrix.rows if row.number == found.rollout.number)
    before, after = _beside(matrix, cell)

    def address(cell: str) -> str:
        where = [slug, scene.group.pk, cell] if cell else [slug, scene.group.pk]
        return reverse("rollouts:cell" if cell else "rollouts:group", args=where) + query_of(scene)

    return {
        "title": _title(row, column),
        "column": column,
        "row": row,
        "cost": _cost(scene, found.rollout.pk, column),
        "previous": address(before) if before else "",
        "next": address(after) if after else "",
        "back": address(""),
    }


def _title(row: Row, column: Column | None) -> str:
    if column is None:
        return _("%(rollout)s, an earlier item") % {"rollout": row.label}
    if column.key == GLOBAL_KEY:
        return _("%(rollout)s, global score") % {"rollout": row.label}
    if column.kind == CHECKER:
        return _("%(rollout)s, checker %(label)s") % {"rollout": row.label, "label": column.label}
    return _("%(rollout)s, criterion %(label)s") % {"rollout": row.label, "label": column.label}


def _cost(scene: Scene, rollout_id: int, column: Column | None) -> float | None:
    """What the reward would be higher with the best answer in this cell, if it counts."""
    if column is None or column.state or scene.gathered is None:
        return None
    at = scene.place_of(rollout_id)
    return cost(scene.aggregator, scene.gathered.group, column.key, at, step=scene.step)


def _beside(matrix: Matrix, cell: str) -> tuple[str, str]:
    """The cells with evidence before and after one, line by line."""
    cells = [one.address for row in matrix.rows for one in row.cells if one.address]
    if cell not in cells:
        return "", ""
    at = cells.index(cell)
    return cells[at - 1] if at else "", cells[at + 1] if at + 1 < len(cells) else ""
