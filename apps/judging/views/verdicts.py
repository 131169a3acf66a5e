"""Verdicts: those of a run, filtered, and one with all the evidence behind it."""

from __future__ import annotations

import json
from typing import Any, cast

from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from apps.accounts import access
from apps.accounts.access import ProjectRequest
from apps.activity.errors import BadInput
from apps.activity.listing import Filter, by_field, listing
from apps.calls.services import rebuild_request
from apps.judging import provenance, selectors, services
from apps.judging.models import CellState, Verdict

GLOBAL = "global"


def by_criterion(rows: QuerySet[Verdict], key: str) -> QuerySet[Verdict]:
    return rows.filter(criterion=None) if key == GLOBAL else rows.filter(criterion__key=key)


def by_rollout(rows: QuerySet[Any], number: str) -> QuerySet[Any]:
    if not number.isdecimal() or len(number) > 9:
        raise BadInput(_("Rollout has to be a number."))
    return rows.filter(rollout__number=int(number))


FILTERS = (
    Filter("state", gettext_lazy("State"), by_field("state"), choices=CellState.choices),
    Filter("reason", gettext_lazy("Reason"), by_field("reason")),
    Filter("criterion", gettext_lazy("Criterion"), by_criterion),
    Filter("rollout", gettext_lazy("Rollout"), by_rollout),
)


@access.project(access.READERS)
@require_safe
def list_verdicts(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """The verdicts of a run itself, in the order they came."""
    project = cast(ProjectRequest, request).project
    run = get_object_or_404(selectors.runs_of(project), number=number)
    found = listing(request, selectors.list_verdicts(run), filters=FILTERS, key="pk")
    rows = [(one, services.kind_of(one)) for one in found.items]
    context = {"run": run, "found": found, "rows": rows, "filtering": _filtering(request)}
    return render(request, "judging/verdicts.html", context)


@access.project(access.READERS)
@require_safe
def list_stale(request: HttpRequest, slug: str) -> HttpResponse:
    """The verdicts of the project whose criterion has changed or is gone."""
    project = cast(ProjectRequest, request).project
    found = listing(request, selectors.stale_verdicts(project), key="pk")
    rows = [(one, services.kind_of(one)) for one in found.items]
    return render(request, "judging/stale.html", {"found": found, "rows": rows, "stale": True})


@access.project(access.READERS)
@require_safe
@vary_on_headers("HX-Request")
def verdict(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """One verdict: in the drawer when htmx asks, else as a page. The filters lead to neighbours."""
    project = cast(ProjectRequest, request).project
    one = get_object_or_404(selectors.verdicts_in(project), pk=pk)
    part = request.headers.get("HX-Request")
    template = "judging/_verdict.html" if part else "judging/verdict.html"
    context = {
        **verdict_context(one, slug=slug),
        **_neighbours(request, one),
        "title": _title(one),
        "in_drawer": bool(part),
    }
    return render(request, template, context)


def verdict_context(one: Verdict, *, slug: str) -> dict[str, Any]:
    """What judging/_verdict.html shows, but for its title and what stands beside it."""
    told = services.tell_verdict(one)
    attempt = told.last_call.call.attempt if told.last_call else None
    steps = provenance.of_verdict(one, slug=slug, attempt=attempt)
    return {"told": told, "verdict": one, "run": one.run, "provenance": steps}


def _title(one: Verdict) -> str:
    if one.criterion is None:
        return _("Rollout %(number)d, global score") % {"number": one.rollout.number}
    words = {"number": one.rollout.number, "key": one.criterion.key}
    return _("Rollout %(number)d, criterion %(key)s") % words


def _neighbours(request: HttpRequest, one: Verdict) -> dict[str, Any]:
    rows = selectors.list_verdicts(one.run)
    for kind in FILTERS:
        if value := request.GET.get(kind.name, "").strip():
            rows = kind.narrow(rows, value)
    before, after = selectors.beside(rows, one)
    slug, query = one.run.project.slug, _filtering(request)

    def address(pk: int | None) -> str:
        return f"{reverse('judging:verdict', args=[slug, pk])}{query}" if pk else ""

    back = reverse("judging:verdicts", args=[slug, one.run.number])
    return {"previous": address(before), "next": address(after), "back": f"{back}{query}"}


def _filtering(request: HttpRequest) -> str:
    """The filters of the address, to be carried along; empty without any."""
    query = QueryDict(mutable=True)
    names = [kind.name for kind in FILTERS]
    query.update({name: request.GET[name] for name in names if request.GET.get(name)})
    return f"?{query.urlencode()}" if query else ""


@access.project(access.READERS)
@require_safe
def call_request(request: HttpRequest, slug: str, pk: int, attempt: int) -> HttpResponse:
    """What was sent in one attempt, byte for byte, and what came back."""
    project = cast(ProjectRequest, request).project
    one = get_object_or_404(selectors.verdicts_in(project), pk=pk)
    calls = services.explain_verdict(one)
    call = next((call for call in calls if call.call.attempt == attempt), None)
    if call is None:
        raise Http404
    if "raw" in request.GET:
        return _raw(call)
    context = {
        "verdict": one,
        "run": one.run,
        "call": call,
        "sampling": _pretty(call.sampling),
        "parsed": _pretty(call.call.parsed),
    }
    return render(request, "judging/call.html", context)


def _pretty(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) if value else ""


def _raw(call: services.ExplainedCall) -> HttpResponse:
    name = f"call-{call.call.pk}.json"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    body = rebuild_request(call.call)
    return HttpResponse(body, content_type="application/json", headers=headers)
