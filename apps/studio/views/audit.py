"""The audit trail of a project: who changed what, when and why, and whether it is as it was."""

from __future__ import annotations

import json
from typing import cast

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from apps.accounts import access
from apps.accounts.access import ProjectRequest
from apps.activity.listing import Filter, by_field, listing
from apps.activity.selectors import verify_trail
from apps.studio import selectors, words

# The whole of a larger detail is not shown: it names thousands of things.
LONGEST_DETAIL = 20_000


@access.project(access.READERS)
@require_safe
def audit(request: HttpRequest, slug: str) -> HttpResponse:
    """Who changed what, when and why, newest first."""
    project = cast(ProjectRequest, request).project
    found = listing(request, selectors.events_of(project), filters=_filters())
    context = {
        "found": found,
        "happenings": selectors.told(found.items),
        "seals": selectors.seal_state(project),
    }
    return render(request, "studio/audit.html", context)


def _filters() -> list[Filter]:
    return [
        Filter("actor", _("Who"), selectors.by_actor),
        Filter("verb", _("What"), by_field("verb"), choices=words.acts()),
        Filter("thing", _("Thing, e.g. run 3"), selectors.by_thing),
        Filter("day", _("Day (UTC)"), selectors.by_day, kind="date"),
    ]


@access.project(access.READERS)
@require_safe
@vary_on_headers("HX-Request")
def event(request: HttpRequest, slug: str, event: int) -> HttpResponse:
    """One act with all that was written down: before, after, and the seal over it."""
    project = cast(ProjectRequest, request).project
    found = selectors.events_of(project).filter(pk=event).defer(None).first()
    if found is None:
        raise Http404
    whole = json.dumps(found.detail, ensure_ascii=False, indent=2, sort_keys=True)
    context = {
        "one": selectors.told([found])[0],
        "changes": selectors.changes_of(found.detail),
        "detail": whole[:LONGEST_DETAIL] if found.detail else "",
        "cut": len(whole) > LONGEST_DETAIL,
        "seal": selectors.seal_over(found),
    }
    template = "_event.html" if "HX-Request" in request.headers else "event.html"
    return render(request, f"studio/{template}", context)


@access.project(access.READERS)
@require_safe
@vary_on_headers("HX-Request")
def check_trail(request: HttpRequest, slug: str) -> HttpResponse:
    """Compute every seal anew: whether an event was changed, added or removed."""
    project = cast(ProjectRequest, request).project
    context = {"check": verify_trail(project.pk)}
    template = "_check.html" if "HX-Request" in request.headers else "check.html"
    return render(request, f"studio/{template}", context)
