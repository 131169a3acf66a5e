"""Pages of rewards."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from apps.accounts import access


@access.project(access.READERS)
@require_safe
def list_runs(request: HttpRequest, slug: str) -> HttpResponse:
    """The rewards of the project."""
    return render(request, "project.html")
