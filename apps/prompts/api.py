"""Prompts in and out, and the imports that brought them.

A file is the body of the request as it is: JSONL, a JSON array, CSV or TSV, also gzipped; what it
is, is found out by its content.
"""

from __future__ import annotations

from typing import Any

from django.http import Http404
from ninja import Field, Query, Router

from apps.accounts import access
from apps.accounts.models import Scope
from apps.activity.paging import page
from apps.activity.wishes import Wish
from apps.prompts import selectors
from apps.prompts.models import Import
from apps.prompts.schemas import (
    ImportDone,
    ImportPage,
    PromptListed,
    PromptOut,
    PromptPage,
    RejectOut,
    RejectPage,
)
from apps.prompts.services import ImportFile, import_prompts
from apps.prompts.uploads import received

router = Router(tags=["prompts"])
FILE_BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            kind: {"schema": {"type": "string"}}
            for kind in ("application/json", "application/x-ndjson", "text/csv")
        },
    }
}


class FileOptions(Wish):
    """What a person may say about a file; the rest is found out."""

    name: str = Field("upload", description="what to call the file")
    format: str = "auto"
    encoding: str = ""
    licence: str = ""
    url: str = ""
    allowed_use: str = ""


@router.post("/prompts", response=ImportDone, openapi_extra=FILE_BODY)
@access.api(scope=Scope.PROMPTS_WRITE, roles=access.AUTHORS)
def add_prompts(
    request: access.ProjectRequest,
    slug: str,
    options: Query[FileOptions],
    dry_run: bool = False,
) -> ImportDone:
    """Import the prompts in the body: all that can be read, with what was rejected and why."""
    with received(request) as path:
        file = ImportFile(path, **options.dict())
        result = import_prompts(request.project, file, dry_run=dry_run, actor=request.actor)
    return ImportDone.of(result)


@router.get("/prompts", response=PromptPage)
@access.api(scope=Scope.PROMPTS_READ, roles=access.READERS)
def list_prompts(
    request: access.ProjectRequest, slug: str, after: str | None = None, limit: int = 100
) -> PromptPage:
    """The prompts by number, with excerpts; pass `next` on as `after`."""
    prompts = page(selectors.list_prompts(request.project), after=after, limit=limit, key="number")
    return PromptPage(items=[PromptListed.of(one) for one in prompts.items], next=prompts.next)


@router.get("/prompts/{int:number}", response=PromptOut)
@access.api(scope=Scope.PROMPTS_READ, roles=access.READERS)
def get_prompt(
    request: access.ProjectRequest, slug: str, number: int, revision: int | None = None
) -> PromptOut:
    """One prompt with its current text, or that of another revision."""
    prompt = selectors.find_prompt(request.project, number)
    if prompt is None:
        raise Http404
    text = prompt.current if revision is None else selectors.find_revision(prompt, revision)
    if text is None:
        raise Http404
    return PromptOut.with_text(prompt, text, list(selectors.list_revisions(prompt)))


@router.get("/imports", response=ImportPage)
@access.api(scope=Scope.PROMPTS_READ, roles=access.READERS)
def list_imports(
    request: access.ProjectRequest, slug: str, after: str | None = None, limit: int = 100
) -> ImportPage:
    """What was imported, newest first: prompts and rollouts."""
    imports = page(selectors.list_imports(request.project), after=after, limit=limit, key="-number")
    return ImportPage.of(imports.items, imports.next)


@router.get("/imports/{int:number}/rejects", response=RejectPage)
@access.api(scope=Scope.PROMPTS_READ, roles=access.READERS)
def list_rejects(
    request: access.ProjectRequest,
    slug: str,
    number: int,
    after: str | None = None,
    limit: int = 100,
) -> RejectPage:
    """All rows of one file that were not taken."""
    source = Import.objects.filter(project=request.project, number=number).first()
    if source is None:
        raise Http404
    rejects = page(selectors.list_rejects(source), after=after, limit=limit)
    return RejectPage(items=[RejectOut.of(one) for one in rejects.items], next=rejects.next)
