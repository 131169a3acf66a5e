"""What later steps say of a rollout, and two rollouts beside each other."""

from __future__ import annotations

from typing import Any, NamedTuple, cast

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from apps.accounts import access
from apps.accounts.access import ProjectRequest
from apps.activity.errors import BadInput
from apps.judging.services import final_text
from apps.prompts.schemas import shown_columns
from apps.rollouts.models import Rollout
from apps.rollouts.selectors import rollouts_of
from apps.studio.matrix import Basis, Cell, Column, Matrix, Row, build_matrix, choose_basis
from apps.studio.matrix.scene import scene_of
from apps.studio.selectors import groups as selectors

COMPARED = 20_000
"""Of longer responses the beginnings are compared."""


class Said(NamedTuple):
    """What a rollout got for one item."""

    column: Column
    cell: Cell


class Difference(NamedTuple):
    """What two rollouts of a group got for one item."""

    column: Column
    first: Cell
    second: Cell

    @property
    def differs(self) -> bool:
        return (self.first.kind, self.first.word) != (self.second.kind, self.second.word)


@access.project(access.READERS)
@require_safe
def rollout_said(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """The part of a rollout's page with its reward, verdicts and check outcomes."""
    project = cast(ProjectRequest, request).project
    rollout = get_object_or_404(rollouts_of(project).select_related("group"), number=number)
    basis = choose_basis(project)
    matrix = build_matrix(scene_of(rollout.group, basis))
    row = _row(matrix, rollout)
    said = (Said(*pair) for pair in zip(matrix.columns, row.cells, strict=False))
    context = {
        "rollout": rollout,
        "basis": basis,
        "matrix": matrix,
        "row": row,
        "said": [one for one in said if one.cell.address],
    }
    return render(request, "studio/_rollout_said.html", context)


@access.project(access.READERS)
@require_safe
def compare(request: HttpRequest, slug: str) -> HttpResponse:
    """Two rollouts beside each other: what differs in their words, numbers and verdicts."""
    first, second = (_named(request, name) for name in ("a", "b"))
    texts = [final_text(one.messages) for one in (first, second)]
    basis = choose_basis(cast(ProjectRequest, request).project)
    context = {
        "first": first,
        "second": second,
        "texts": [text[:COMPARED] for text in texts],
        "cut": any(len(text) > COMPARED for text in texts),
        "plain": request.GET.get("show") == "text",
        "same_prompt": first.prompt_revision_id == second.prompt_revision_id,
        "others": selectors.members_of(first.group),
        "columns": _columns(first, second),
        "basis": basis,
        **_differences(first, second, basis),
    }
    return render(request, "studio/compare.html", context)


def _named(request: HttpRequest, name: str) -> Rollout:
    text = request.GET.get(name, "")
    if not text.isdecimal() or len(text) > 9:
        raise BadInput(_("Name two rollouts by their numbers: ?a=1&b=2."))
    project = cast(ProjectRequest, request).project
    return get_object_or_404(rollouts_of(project).select_related("group"), number=int(text))


def _columns(first: Rollout, second: Rollout) -> list[tuple[str, Any, Any]]:
    """What came with either of them, side by side."""
    one, two = shown_columns(first.columns), shown_columns(second.columns)
    return [(name, one.get(name, ""), two.get(name, "")) for name in dict.fromkeys([*one, *two])]


def _differences(first: Rollout, second: Rollout, basis: Basis) -> dict[str, Any]:
    """What was said of the two; nothing where they are not of one group."""
    if first.group_id != second.group_id:
        return {}
    matrix = build_matrix(scene_of(first.group, basis))
    one, two = _row(matrix, first), _row(matrix, second)
    found = [Difference(*some) for some in zip(matrix.columns, one.cells, two.cells, strict=False)]
    return {
        "matrix": matrix,
        "row_a": one,
        "row_b": two,
        "differences": [some for some in found if some.differs],
        "alike": sum(not some.differs for some in found),
    }


def _row(matrix: Matrix, rollout: Rollout) -> Row:
    return next(row for row in matrix.rows if row.number == rollout.number)
