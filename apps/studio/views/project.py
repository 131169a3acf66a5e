"""Pages over the steps of one project."""

from __future__ import annotations

from typing import cast

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from apps.accounts import access
from apps.accounts.access import ProjectRequest
from apps.studio.navigation import standing_of


@access.project(access.MEMBERS)
@require_safe
def overview(request: HttpRequest, slug: str) -> HttpResponse:
    """Where the project stands: the flow with its counts, and what blocks each step."""
    steps = standing_of(cast(ProjectRequest, request)).steps
    return render(request, "studio/overview.html", {"steps": steps})


@access.project(access.READERS)
@require_safe
def audit(request: HttpRequest, slug: str) -> HttpResponse:
    """Who changed what, when and why."""
    return render(request, "project.html")
