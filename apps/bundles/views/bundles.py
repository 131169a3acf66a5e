"""The list of bundles, one bundle, what changed since, and taking one back."""

from __future__ import annotations

import json
from typing import Any, cast

from django.contrib import messages
from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_safe
from django.views.decorators.vary import vary_on_headers

from apps.accounts import access
from apps.accounts.access import ProjectRequest
from apps.activity.confirming import Confirmation, ask_for_name, reason_of
from apps.activity.listing import Filter, listing
from apps.bundles import selectors, services
from apps.bundles.models import Bundle
from apps.rewards.selectors import newest_config
from rubricstudio.core.bundle import MANIFEST

MANIFEST_SHOWN = 60_000
"""Characters of a manifest that stand on its page; the rest is in the file."""

FILTERS = (
    Filter(
        "state",
        gettext_lazy("State"),
        lambda rows, state: rows.filter(retracted_at__isnull=state == "in_use"),
        choices=[
            ("in_use", gettext_lazy("not retracted")),
            ("retracted", gettext_lazy("retracted")),
        ],
    ),
    Filter(
        "q",
        gettext_lazy("Name or id"),
        lambda rows, text: rows.filter(Q(name__icontains=text) | Q(bundle_id__startswith=text)),
    ),
)


@access.project(access.READERS)
@require_safe
@vary_on_headers("HX-Request")
def list_bundles(request: HttpRequest, slug: str) -> HttpResponse:
    """The bundles, newest first; while one is being frozen htmx asks again for the list."""
    project = cast(ProjectRequest, request).project
    context = {
        "found": listing(request, selectors.bundles_of(project), filters=FILTERS),
        "jobs": selectors.freeze_jobs(project),
        "may_freeze": _may_write(request),
    }
    part = request.headers.get("HX-Request")
    return render(request, "bundles/_list.html" if part else "bundles/list.html", context)


@access.project(access.READERS)
@require_safe
def show_bundle(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """What is in it, byte by byte, how to check it, and where it comes from."""
    bundle = _bundle(request, number)
    files = list(bundle.files.all())
    text = json.dumps(bundle.manifest, ensure_ascii=False, indent=2, sort_keys=True)
    context = {
        "bundle": bundle,
        "files": files,
        "size": sum(file.size for file in files),
        "manifest": text[:MANIFEST_SHOWN],
        "manifest_is_cut": len(text) > MANIFEST_SHOWN,
        "manifest_path": MANIFEST,
        "folder": services.folder_name(bundle),
        "children": bundle.children.order_by("number").defer("manifest"),
        "may_write": _may_write(request),
    }
    return render(request, "bundles/bundle.html", context)


@access.project(access.READERS)
@require_safe
def since(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """What freezing now would change against it: a part, since it compares every prompt."""
    bundle = _bundle(request, number)
    project = cast(ProjectRequest, request).project
    context = {
        "bundle": bundle,
        "changes": selectors.changed_since(project, bundle),
        "config": newest_config(project, bundle.config.name),
        "may_freeze": _may_write(request),
    }
    return render(request, "bundles/_since.html", context)


@access.project(access.READERS)
@require_safe
def changes(request: HttpRequest, slug: str, number: int, part: str) -> HttpResponse:
    """The specs behind one of the numbers of what changed since."""
    if part not in selectors.Since._fields:
        raise Http404
    bundle, project = _bundle(request, number), cast(ProjectRequest, request).project
    specs = selectors.specs_since(project, bundle, part)
    found = listing(request, specs, key=selectors.BY_PROMPT)
    context = {"bundle": bundle, "part": part, "found": found}
    return render(request, "bundles/changes.html", context)


@access.project(access.AUTHORS)
@require_http_methods(["GET", "HEAD", "POST"])
def retract(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Mark a bundle as not to be used, for good: its name is typed, and a reason given."""
    bundle = _bundle(request, number)
    refused = ask_for_name(request, _confirmation(bundle, slug), frame="project.html")
    if refused is not None:
        return refused
    services.retract_bundle(
        bundle=bundle, reason=reason_of(request), actor=cast(ProjectRequest, request).actor
    )
    messages.success(request, _("%(bundle)s is retracted.") % {"bundle": bundle})
    return redirect("bundles:detail", slug=slug, number=number)


def _confirmation(bundle: Bundle, slug: str) -> Confirmation:
    files = list(bundle.files.all())
    return Confirmation(
        title=_("Retract %(bundle)s") % {"bundle": bundle},
        sentence=_(
            "It stays readable, and whoever lists bundles sees the reason not to use it. The same "
            "content can never be frozen again, and a retraction cannot be taken back."
        ),
        expected=str(bundle),
        act=_("Retract the bundle"),
        back=reverse("bundles:detail", args=[slug, bundle.number]),
        counts=[
            (_("Specs"), cast(Any, bundle).specs),
            (_("Files"), len(files)),
            (_("Versions made from it"), bundle.children.count()),
        ],
        needs_reason=True,
    )


def _bundle(request: HttpRequest, number: int) -> Bundle:
    project = cast(ProjectRequest, request).project
    return get_object_or_404(selectors.bundle_pages(project), number=number)


def _may_write(request: HttpRequest) -> bool:
    return bool(cast(ProjectRequest, request).roles & access.AUTHORS)
