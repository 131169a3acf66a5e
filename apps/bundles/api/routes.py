"""Bundles over HTTP: under their project, and under the address that a trainer knows."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from django.http import HttpResponseBase
from django.shortcuts import get_object_or_404
from ninja import Router

from apps.accounts import access
from apps.accounts.access import ProjectRequest
from apps.accounts.models import Project, Scope
from apps.activity.paging import page
from apps.bundles import selectors
from apps.bundles.api.files import file_reply
from apps.bundles.schemas import BundleOut, BundlesOut
from rubricstudio.core.bundle import MANIFEST

router = Router(tags=["bundles"])
trainer_router = Router(tags=["bundles"])
"""For a token alone, whose project is known: mounted without a project in the address."""

View = TypeVar("View", bound=Callable[..., HttpResponseBase])

reads = access.api(scope=Scope.BUNDLES_READ, roles=access.READERS)
trainer_reads = access.token(scope=Scope.BUNDLES_READ)


def reading(its_router: Router, path: str) -> Callable[[View], View]:
    """GET, and HEAD with it, which the OpenAPI document leaves out: it is the same operation."""

    def register(view: View) -> View:
        its_router.get(path)(view)
        its_router.api_operation(["HEAD"], path, include_in_schema=False)(view)
        return view

    return register


@router.get("/bundles", response=BundlesOut)
@reads
def list_bundles(
    request: ProjectRequest, slug: str, after: str = "", limit: int = 100
) -> BundlesOut:
    """The bundles of the project, newest first, retracted ones included."""
    return _listed(request.project, after=after, limit=limit)


@reading(router, "/bundles/{bundle_id}")
@reads
def show_bundle(request: ProjectRequest, slug: str, bundle_id: str) -> HttpResponseBase:
    """The manifest as it was frozen, with an ETag."""
    return _file(request, bundle_id, MANIFEST)


@reading(router, "/bundles/{bundle_id}/files/{path:path}")
@reads
def show_file(request: ProjectRequest, slug: str, bundle_id: str, path: str) -> HttpResponseBase:
    """A file of the bundle, or the one range of it that is asked for, with an ETag."""
    return _file(request, bundle_id, path)


@trainer_router.get("/bundles", response=BundlesOut)
@trainer_reads
def list_bundles_of_token(request: ProjectRequest, after: str = "", limit: int = 100) -> BundlesOut:
    """The bundles of the token's project, newest first, retracted ones included."""
    return _listed(request.project, after=after, limit=limit)


@reading(trainer_router, "/bundles/{bundle_id}")
@trainer_reads
def show_bundle_of_token(request: ProjectRequest, bundle_id: str) -> HttpResponseBase:
    """The manifest as it was frozen, with an ETag."""
    return _file(request, bundle_id, MANIFEST)


@reading(trainer_router, "/bundles/{bundle_id}/files/{path:path}")
@trainer_reads
def show_file_of_token(request: ProjectRequest, bundle_id: str, path: str) -> HttpResponseBase:
    """A file of the bundle, or the one range of it that is asked for, with an ETag."""
    return _file(request, bundle_id, path)


def _listed(project: Project, *, after: str, limit: int) -> BundlesOut:
    shown = page(selectors.bundles_of(project), after=after, limit=limit, key="-pk")
    return BundlesOut(items=[BundleOut.of(bundle) for bundle in shown.items], next=shown.next)


def _file(request: ProjectRequest, bundle_id: str, path: str) -> HttpResponseBase:
    return file_reply(
        request, get_object_or_404(selectors.files_of(request.project, bundle_id), path=path)
    )
