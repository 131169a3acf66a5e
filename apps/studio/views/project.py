"""Pages over the steps of one project."""

from __future__ import annotations

from typing import cast

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from apps.accounts import access
from apps.accounts.access import ProjectRequest
from apps.studio import selectors
from apps.studio.navigation import standing_of

WAITING = 20


@access.project(access.MEMBERS)
@require_safe
def overview(request: HttpRequest, slug: str) -> HttpResponse:
    """Where the project stands: the flow with its counts, and what blocks each step."""
    admitted = cast(ProjectRequest, request)
    if not admitted.roles & access.READERS:
        return render(request, "studio/overview_of_annotator.html")
    project, steps = admitted.project, standing_of(admitted).steps
    waiting = selectors.waiting_for(admitted.user, project=project)
    may_act = bool(admitted.roles & access.AUTHORS)
    context = {
        "cells": selectors.flow_of(project, steps),
        "waiting": waiting[:WAITING],
        "more_waiting": len(waiting[WAITING:]),
        "bundle": selectors.last_bundle(project),
        "days": selectors.recent_days(project),
        "act": selectors.next_act(project, steps) if may_act else None,
    }
    return render(request, "studio/overview.html", context)


@access.project(access.READERS)
@require_safe
@vary_on_headers("HX-Request")
def since(request: HttpRequest, slug: str) -> HttpResponse:
    """What changed since the last bundle; the overview asks for it when it is there."""
    project = cast(ProjectRequest, request).project
    bundle = selectors.last_bundle(project)
    context = {"since": selectors.changed_since(project, bundle) if bundle else None}
    template = "_since.html" if "HX-Request" in request.headers else "since.html"
    return render(request, f"studio/{template}", context)
