"""The pages of the installation: projects, jobs, health."""

from __future__ import annotations

from typing import cast

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from apps.accounts import access
from apps.accounts.models import User
from apps.accounts.selectors import projects_seen_by
from apps.activity.paging import page
from apps.activity.selectors import jobs_of
from apps.studio import selectors
from apps.studio.health import all_parts, checks, workers_part

JOBS_A_PAGE = 50
IN_THE_MENU = 30
NOT_WELL = 503


@access.signed_in
@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """The projects that the person may see, and how much of each step they hold."""
    lines = selectors.project_lines(cast(User, request.user))
    return render(request, "studio/home.html", {"lines": lines})


@access.signed_in
@require_safe
@vary_on_headers("HX-Request")
def projects(request: HttpRequest) -> HttpResponse:
    """All projects that the person may see; htmx gets the menu of the first ones."""
    if "HX-Request" in request.headers:
        some = projects_seen_by(cast(User, request.user)).filter(archived_at__isnull=True)
        return render(request, "studio/_project_menu.html", {"projects": some[:IN_THE_MENU]})
    lines = selectors.project_lines(cast(User, request.user))
    return render(request, "studio/home.html", {"lines": lines})


@access.signed_in
@require_safe
@vary_on_headers("HX-Request")
def jobs(request: HttpRequest) -> HttpResponse:
    """Background work, newest first; htmx asks for the list alone, again and again."""
    seen = projects_seen_by(cast(User, request.user))
    found = page(jobs_of(seen), after=request.GET.get("after"), limit=JOBS_A_PAGE, key="-pk")
    template = "studio/_jobs.html" if request.headers.get("HX-Request") else "studio/jobs.html"
    context = {"jobs": found.items, "next": found.next, "workers": workers_part()}
    return render(request, template, context)


@access.signed_in
@require_safe
@never_cache
def health(request: HttpRequest) -> HttpResponse:
    """Is the machine well, and what to do where it is not."""
    return render(request, "studio/health.html", {"parts": all_parts()})


@access.public
@require_safe
@never_cache
def healthz(request: HttpRequest) -> HttpResponse:
    """For probes: `ok` only when every part answers; no detail, no secret."""
    answers = checks.ask_all()
    workers = answers["workers"].facts.get("workers", [])
    parts = {name: "ok" if answer.ok else "no answer" for name, answer in answers.items()}
    well = all(answer.ok for answer in answers.values()) and bool(workers)
    status = {"status": "ok" if well else "not ok", **parts, "workers": len(workers)}
    return JsonResponse(status, status=200 if well else NOT_WELL)
