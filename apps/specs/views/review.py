"""The acts of a review: ask for it, approve, send back, and take each of them back."""

from __future__ import annotations

from collections.abc import Callable

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST

from apps.accounts import access
from apps.accounts.access import ProjectRequest
from apps.activity.errors import ApplicationError
from apps.specs import selectors, services
from apps.specs.models import Spec
from apps.specs.views.detail import LARGEST, find

ASKERS = access.AUTHORS | access.REVIEWERS
MOST_CHOSEN = 1000
LONGEST_REASON = 2000


@access.project(ASKERS)
@require_POST
def request_review(request: ProjectRequest, slug: str, prompt: int, version: int) -> HttpResponse:
    """A second person is to look at it."""
    return _act(
        request,
        find(request, prompt, version),
        lambda spec: services.request_review(spec, actor=request.user, reason=reason_in(request)),
        said=_("Review was asked for."),
        undo="specs:withdraw_review",
    )


@access.project(ASKERS)
@require_POST
def withdraw_review(request: ProjectRequest, slug: str, prompt: int, version: int) -> HttpResponse:
    """It is a draft again."""
    return _act(
        request,
        find(request, prompt, version),
        lambda spec: services.withdraw_review(spec, actor=request.user),
        said=_("It is a draft again."),
    )


@access.project(access.REVIEWERS)
@require_POST
def approve(request: ProjectRequest, slug: str, prompt: int, version: int) -> HttpResponse:
    """It may go into bundles."""
    return _act(
        request,
        find(request, prompt, version),
        lambda spec: services.approve(spec, actor=request.user, reason=reason_in(request)),
        said=_("Approved: it may go into bundles."),
        undo="specs:withdraw_approval",
    )


@access.project(access.REVIEWERS)
@require_POST
def withdraw_approval(
    request: ProjectRequest, slug: str, prompt: int, version: int
) -> HttpResponse:
    """It waits for review again."""
    return _act(
        request,
        find(request, prompt, version),
        lambda spec: services.withdraw_approval(spec, actor=request.user),
        said=_("It waits for review again."),
    )


@access.project(access.REVIEWERS)
@require_POST
def send_back(request: ProjectRequest, slug: str, prompt: int, version: int) -> HttpResponse:
    """It needs changes first."""
    return _act(
        request,
        find(request, prompt, version),
        lambda spec: services.send_back(spec, actor=request.user, reason=reason_in(request)),
        said=_("Sent back: it is a draft again."),
    )


@access.project(access.REVIEWERS)
@require_POST
def approve_some(request: ProjectRequest, slug: str) -> HttpResponse:
    """Approve the chosen specs, after one look at how many they are."""
    asked = request.POST.getlist("spec")[:MOST_CHOSEN]
    pks = {int(one) for one in asked if one.isdecimal() and int(one) <= LARGEST}
    chosen = selectors.count_chosen(request.project, pks)
    if not chosen.ready:
        messages.error(request, _("None of the chosen specs waits for approval: choose others."))
        return redirect("specs:list", slug=slug)
    if "confirmed" not in request.POST:
        context = {"chosen": chosen, "pks": sorted(pks)}
        return render(request, "specs/approve_some.html", context)
    try:
        approved = services.approve_some(
            request.project, pks=pks, actor=request.user, reason=reason_in(request)
        )
    except ApplicationError as error:
        messages.error(request, error.message)
    else:
        told = ngettext("%d spec was approved.", "%d specs were approved.", approved)
        messages.success(request, told % approved)
    return redirect("specs:list", slug=slug)


def _act(
    request: ProjectRequest,
    spec: Spec,
    act: Callable[[Spec], Spec],
    *,
    said: str,
    undo: str = "",
) -> HttpResponse:
    """Do it and say so; where it cannot be done, say why on the page that it was asked from."""
    number = spec.prompt_revision.prompt.number
    address = [request.project.slug, number, spec.version]
    try:
        act(spec)
    except ApplicationError as error:
        messages.error(request, error.message)
    else:
        messages.success(request, said, extra_tags=reverse(undo, args=address) if undo else "")
    page = "specs:workbench" if request.POST.get("from") == "workbench" else "specs:detail"
    return redirect(page, slug=request.project.slug, prompt=number)


def reason_in(request: ProjectRequest) -> str:
    return request.POST.get("reason", "").replace("\0", "").strip()[:LONGEST_REASON]
