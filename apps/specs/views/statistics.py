"""Which constraint types a project asks for: as a table, and as a file."""

from __future__ import annotations

import csv

from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from apps.accounts import access
from apps.accounts.access import ProjectRequest
from apps.activity.errors import BadInput
from apps.activity.spreadsheets import inert
from apps.specs import selectors
from apps.specs.models import Spec

COLUMNS = ("type", "native", "generated", "refused", "total", "share", "specs")


@access.project(access.READERS)
@require_safe
def statistics(request: ProjectRequest, slug: str) -> HttpResponse:
    """The constraint types of the newest specs, with their counts and shares."""
    state = _state(request)
    context = {
        "found": selectors.constraint_types(request.project, state=state),
        "state": state,
        "states": Spec.State.choices,
    }
    return render(request, "specs/statistics.html", context)


@access.project(access.READERS)
@require_safe
def statistics_file(request: ProjectRequest, slug: str) -> HttpResponse:
    """The same table as CSV; the last row is the total."""
    found = selectors.constraint_types(request.project, state=_state(request))
    response = HttpResponse(content_type="text/csv; charset=utf-8")
    name = f"{request.project.slug}-constraint-types.csv"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    writer = csv.writer(response)
    writer.writerow(COLUMNS)
    for one, share in found.shared:
        counts = (one.native, one.generated, one.refused, one.total)
        writer.writerow([inert(one.type), *counts, f"{share:.6f}", one.specs])
    totals = (found.native, found.generated, found.refused, found.total)
    writer.writerow(["total", *totals, "1.000000" if found.total else "", found.asking])
    return response


def _state(request: ProjectRequest) -> str:
    state = request.GET.get("state", "")
    if state and state not in Spec.State.values:
        raise BadInput(
            _("The state is %(state).40r: use one of %(known)s.")
            % {"state": state, "known": ", ".join(Spec.State.values)}
        )
    return state
