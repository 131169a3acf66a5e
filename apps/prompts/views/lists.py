"""The list of prompts."""

from __future__ import annotations

from django.db.models import QuerySet
from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from apps.accounts import access
from apps.accounts.access import ProjectRequest
from apps.activity.listing import Filter, by_field, listing
from apps.prompts import selectors
from apps.prompts.models import Prompt

ARCHIVED = "archived"


@access.project(access.READERS)
@require_safe
def list_prompts(request: ProjectRequest, slug: str) -> HttpResponse:
    """The prompts by number: what we train on, and where it came from."""
    frame = selectors.list_frame(request.project)
    found = listing(
        request,
        selectors.prompts_with_sources(request.project),
        filters=_filters(frame),
        key="number",
    )
    context = {
        "found": found,
        "numbers": ",".join(str(one.number) for one in found.items),
        "total": frame.total,
        "domains": frame.domains,
        "may_import": bool(request.roles & access.AUTHORS),
    }
    return render(request, "prompts/list.html", context)


def _filters(frame: selectors.ListFrame) -> list[Filter]:
    filters = [Filter("q", _("Number, key or words"), selectors.search)]
    if frame.sources:
        label = _("File")
        filters.append(Filter("source", label, by_field("current__source__number"), frame.sources))
    if frame.domains:
        filters.append(Filter("domain", _("Domain"), by_field("domain__key"), frame.domains))
    states = [("in_use", _("in use")), (ARCHIVED, _("archived"))]
    filters.append(Filter("state", _("State"), _by_state, states))
    return filters


def _by_state(prompts: QuerySet[Prompt], state: str) -> QuerySet[Prompt]:
    return prompts.filter(archived_at__isnull=state != ARCHIVED)
