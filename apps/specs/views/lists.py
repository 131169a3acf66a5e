"""The list of specs."""

from __future__ import annotations

from django.db.models import QuerySet
from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from apps.accounts import access
from apps.accounts.access import ProjectRequest
from apps.activity.listing import Filter, by_field, listing
from apps.specs import selectors, services
from apps.specs.forms import MakeForm
from apps.specs.models import Spec

PARTS = {
    "refused": selectors.with_refused,
    "no_rubric": selectors.without_rubric,
    "unusable": selectors.unusable,
}


@access.project(access.READERS)
@require_safe
def list_specs(request: ProjectRequest, slug: str) -> HttpResponse:
    """The newest spec of each prompt: is it right, approved, and can it score?"""
    context = {
        "found": listing(
            request,
            selectors.specs_by_prompt(request.project),
            filters=_filters(),
            key=selectors.BY_PROMPT,
        ),
        "frame": selectors.list_frame(request.project, kind=services.KIND),
        "form": MakeForm(),
        "may_make": bool(request.roles & access.AUTHORS),
        "may_approve": bool(request.roles & access.REVIEWERS),
    }
    return render(request, "specs/list.html", context)


def _filters() -> list[Filter]:
    methods = [
        ("given", _("published")),
        ("model", _("by the model")),
        ("given+model", _("published, and by the model")),
        ("rules", _("read by rules")),
        ("model+rules", _("by rules and the model")),
        ("given+rules", _("published, and read by rules")),
    ]
    parts = [
        ("refused", _("refused constraints")),
        ("no_rubric", _("no rubric")),
        ("unusable", _("nothing to score with")),
    ]
    states = [*Spec.State.choices, (selectors.UNAPPROVED, _("not approved"))]
    labels = [(name, name.replace("_", " ")) for name in services.LABELS]
    return [
        Filter("q", _("Number, key or words"), selectors.search),
        Filter("state", _("State"), selectors.in_state, states),
        Filter("label", _("Task label"), by_field("label"), labels),
        Filter("method", _("Made of"), by_field("method"), methods),
        Filter("parts", _("Has"), _by_parts, parts),
        Filter("constraint", _("Constraint type"), selectors.with_constraint),
    ]


def _by_parts(specs: QuerySet[Spec], name: str) -> QuerySet[Spec]:
    return PARTS[name](specs)
