"""Groups: the list, the matrix of one, and what a column of it decides."""

from __future__ import annotations

from typing import Any, cast

from django.db.models import Exists, OuterRef, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from apps.accounts import access
from apps.accounts.access import ProjectRequest
from apps.activity.errors import BadInput
from apps.activity.listing import Filter, listing
from apps.rewards.selectors import reward_runs_of
from apps.rollouts.models import Rollout, RolloutGroup
from apps.studio.matrix import Matrix, Scene, build_matrix, choose_basis, flow_without, scene_of
from apps.studio.selectors import groups as selectors

Groups = QuerySet[RolloutGroup]
MOST_RUNS = 10


def _by_policy(groups: Groups, name: str) -> Groups:
    answered = Rollout.objects.filter(group=OuterRef("pk"), policy__name=name)
    return groups.filter(Exists(answered))


def _by_number(lookup: str, label: Any) -> Any:
    def narrow(groups: Groups, text: str) -> Groups:
        if not text.isdecimal() or len(text) > 9:
            raise BadInput(_("%(label)s has to be a number.") % {"label": label})
        return groups.filter(**{lookup: int(text)})

    return narrow


PROMPT, STEP, IMPORT = gettext_lazy("Prompt"), gettext_lazy("Step"), gettext_lazy("Import")
FILTERS = (
    Filter("prompt", PROMPT, _by_number("prompt_revision__prompt__number", PROMPT)),
    Filter("policy", gettext_lazy("Policy"), _by_policy),
    Filter("step", STEP, _by_number("batch__step", STEP)),
    Filter("import", IMPORT, _by_number("batch__source__number", IMPORT)),
)


@access.project(access.READERS)
@require_safe
def list_groups(request: HttpRequest, slug: str) -> HttpResponse:
    """The rollouts of the project by groups: those that are compared together."""
    project = cast(ProjectRequest, request).project
    found = listing(request, selectors.groups_of(project), filters=FILTERS)
    newest = reward_runs_of(project).filter(finished_at__isnull=False).first()
    context = {
        "found": found,
        "lines": selectors.group_lines(found.items, reward_run=newest),
        "reward_run": newest,
        "may_write": may_write(request),
    }
    return render(request, "studio/groups.html", context)


@access.project(access.READERS)
@require_safe
def show_group(request: HttpRequest, slug: str, group: int) -> HttpResponse:
    """The matrix of one group: rollouts by reward, items by what hangs on them."""
    scene = scene_for(request, group)
    return render(request, "studio/group.html", page_context(request, scene, build_matrix(scene)))


@access.project(access.READERS)
@require_safe
def group_without(request: HttpRequest, slug: str, group: int) -> HttpResponse:
    """What dropping one column would change: the part below the matrix."""
    scene = scene_for(request, group)
    column = build_matrix(scene).column(request.GET.get("column", ""))
    if column is None:
        raise Http404
    context = {
        "column": column,
        "flow": None if column.state else flow_without(scene, column.key),
    }
    return render(request, "studio/_group_without.html", context)


def scene_for(request: HttpRequest, pk: int) -> Scene:
    """The group of the address, on the basis that the query names."""
    project = cast(ProjectRequest, request).project
    group = get_object_or_404(selectors.groups_of(project), pk=pk)
    asked = {name: request.GET.get(name, "") for name in ("run", "reward")}
    return scene_of(group, choose_basis(project, **asked))


def page_context(
    request: HttpRequest, scene: Scene, matrix: Matrix, *, key: str = ""
) -> dict[str, Any]:
    """What the page of a group shows; `key` is the column of the open cell."""
    project = cast(ProjectRequest, request).project
    newer, older = selectors.neighbours(project, scene.group)
    counting = (one for one in matrix.columns if one.changed is not None)
    column = matrix.column(key) or next(counting, None)
    return {
        "scene": scene,
        "group": scene.group,
        "basis": scene.basis,
        "matrix": matrix,
        "query": query_of(scene),
        "newer": newer,
        "older": older,
        "column": column,
        "flow": flow_without(scene, column.key) if column and not column.state else None,
        "reward_runs": reward_runs_of(project).filter(finished_at__isnull=False)[:MOST_RUNS],
        "may_write": may_write(request),
    }


def query_of(scene: Scene) -> str:
    """The part of the address that chooses the basis, to be carried along."""
    return f"?{urlencode(scene.basis.chosen)}" if scene.basis.chosen else ""


def may_write(request: HttpRequest) -> bool:
    return bool(cast(ProjectRequest, request).roles & access.AUTHORS)
