"""Importing rollouts: the pages that every import has."""

from __future__ import annotations

import uuid

from django.http import HttpResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from apps.accounts import access
from apps.accounts.access import ProjectRequest
from apps.prompts.views.importing import ImportPages
from apps.rollouts.forms import RolloutUploadForm
from apps.rollouts.services import IMPORTER

PAGES = ImportPages(IMPORTER, app="rollouts", form=RolloutUploadForm)


@csrf_exempt  # ImportPages.receive checks the token, once the file can go to the disk
@access.project(access.AUTHORS)
@require_http_methods(["GET", "HEAD", "POST"])
def import_rollouts(request: ProjectRequest, slug: str) -> HttpResponse:
    """Choose a file of rollouts."""
    return PAGES.receive(request) if request.method == "POST" else PAGES.pick(request)


@access.project(access.AUTHORS)
@require_safe
def upload(request: ProjectRequest, slug: str, upload: uuid.UUID) -> HttpResponse:
    """Look at a file before it is imported."""
    return PAGES.look(request, upload)


@access.project(access.AUTHORS)
@require_POST
def check_upload(request: ProjectRequest, slug: str, upload: uuid.UUID) -> HttpResponse:
    """Read all rows, and take none."""
    return PAGES.check(request, upload)


@access.project(access.AUTHORS)
@require_POST
def commit_upload(request: ProjectRequest, slug: str, upload: uuid.UUID) -> HttpResponse:
    """Import the file in the background."""
    return PAGES.commit(request, upload)


@access.project(access.AUTHORS)
@require_safe
def upload_state(request: ProjectRequest, slug: str, upload: uuid.UUID) -> HttpResponse:
    """How far check or import are, as a part of a page."""
    return PAGES.state(request, upload)
