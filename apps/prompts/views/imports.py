"""Importing prompts, and what became of each file."""

from __future__ import annotations

import csv
import uuid
from collections.abc import Iterator

from django.http import Http404, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from apps.accounts import access
from apps.accounts.access import ProjectRequest
from apps.activity.spreadsheets import inert
from apps.prompts import selectors
from apps.prompts.models import Import, Reject
from apps.prompts.services import IMPORTER
from apps.prompts.views.importing import ImportPages

PAGES = ImportPages(IMPORTER, app="prompts")
REJECTS_SHOWN = 100


@csrf_exempt  # ImportPages.receive checks the token, once the file can go to the disk
@access.project(access.AUTHORS)
@require_http_methods(["GET", "HEAD", "POST"])
def import_prompts(request: ProjectRequest, slug: str) -> HttpResponse:
    """Choose a file of prompts."""
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


@access.project(access.READERS)
@require_safe
def source(request: ProjectRequest, slug: str, number: int) -> HttpResponse:
    """A file that was imported, prompts or rollouts: where from, and what became of its rows."""
    found = _find(request, number)
    rejects = list(selectors.list_rejects(found)[:REJECTS_SHOWN])
    return render(request, "prompts/source.html", {"source": found, "rejects": rejects})


@access.project(access.READERS)
@require_safe
def rejects(request: ProjectRequest, slug: str, number: int) -> HttpResponseBase:
    """All rejected rows of a file, as CSV."""
    found = _find(request, number)
    response = StreamingHttpResponse(_csv(selectors.list_rejects(found).iterator()), "text/csv")
    name = f"{request.project.slug}-import-{found.number}-rejects.csv"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def _find(request: ProjectRequest, number: int) -> Import:
    found = selectors.find_import(request.project, number)
    if found is None:
        raise Http404
    return found


class _Line:
    """What a csv writer writes to: it gives each line back."""

    def write(self, line: str) -> str:
        return line


def _csv(rows: Iterator[Reject]) -> Iterator[str]:
    writer = csv.writer(_Line())
    yield writer.writerow(["line", "column", "reason", "row"])
    for row in rows:
        yield writer.writerow([row.line, row.column or "", row.reason, inert(row.excerpt)])
