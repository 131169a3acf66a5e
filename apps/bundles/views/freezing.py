"""Freezing: the checklist, what would be written, approval by a second person, and the act."""

from __future__ import annotations

from functools import partial
from typing import Any, Final, cast

from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST

from apps.accounts import access
from apps.accounts.access import ProjectRequest
from apps.accounts.models import User
from apps.activity.errors import ApplicationError, NotAllowed
from apps.activity.tasks import enqueue_job
from apps.bundles import selectors, services
from apps.bundles.forms import FreezeForm
from apps.bundles.services import Preview
from apps.rewards.selectors import config_names
from apps.rewards.services import DEFAULT, config_as_named, config_named
from apps.specs.services import approve_all
from rubricstudio.core.errors import CoreError

UNUSABLE = 422
BEHIND: Final = {
    "unapproved_specs": ("specs:list", "?state=unapproved", gettext_lazy("See the specs")),
    "refused_constraints": ("specs:list", "?parts=refused", gettext_lazy("See the specs")),
    "quarantined_checkers": ("specs:list", "", gettext_lazy("See the specs")),
    "contradictory_constraints": ("specs:list", "", gettext_lazy("See the specs")),
    "unknown_licences": ("prompts:list", "", gettext_lazy("See the prompts and their files")),
    "no_judge": ("calls:models", "", gettext_lazy("Open the models")),
    "embedded_judge": ("calls:models", "", gettext_lazy("Open the models")),
}
"""Where the list behind an open item is, by the name of its check."""


@access.project(access.AUTHORS | access.REVIEWERS)
@require_http_methods(["GET", "HEAD", "POST"])
def freeze(request: HttpRequest, slug: str) -> HttpResponse:
    """The checklist with what stands behind each open item; posting it freezes."""
    admitted = cast(ProjectRequest, request)
    if request.method == "POST" and not admitted.roles & access.AUTHORS:
        raise NotAllowed(_("A reviewer approves; ask an author of the project to freeze."))
    preview = _preview(admitted)
    form = FreezeForm(
        request.POST or None,
        configs=config_names(admitted.project),
        items={line.check.name: line.check.title for line in preview.open},
        initial={**request.GET.dict(), "name": _name(admitted), "config": _config(admitted)},
    )
    if request.method == "POST" and form.is_valid():
        try:
            return _frozen(admitted, form)
        except (ApplicationError, CoreError) as error:
            form.add_error(None, str(error))
    context = {
        "form": form,
        "preview": preview,
        "lines": _lines(admitted, preview, form),
        "reviewers": selectors.reviewers_of(admitted.project),
        "may_approve": bool(admitted.roles & access.REVIEWERS),
        "may_freeze": bool(admitted.roles & access.AUTHORS),
    }
    status = UNUSABLE if form.errors else 200
    return render(request, "bundles/freeze.html", context, status=status)


def _lines(request: ProjectRequest, preview: Preview, form: FreezeForm) -> list[dict[str, Any]]:
    """The checklist; an open item with the list behind it, and the field for a reason."""
    lines = []
    for check, finding in preview.lines:
        page, query, act = BEHIND[check.name]
        lines.append(
            {
                "check": check,
                "finding": finding,
                "address": reverse(page, args=[request.project.slug]) + query,
                "act": act,
                "reason": form.reason_for(check.name),
            }
        )
    return lines


def _preview(request: ProjectRequest) -> Preview:
    config = config_as_named(request.project, _config(request))
    return services.preview_freeze(request.project, config=config, name=_name(request))


def _name(request: ProjectRequest) -> str:
    return _said(request, "name") or request.project.slug


def _config(request: ProjectRequest) -> str:
    """What is asked for, where it is there; the form says so where it is not."""
    said = _said(request, "config")
    return said if said in config_names(request.project) else DEFAULT


def _said(request: ProjectRequest, name: str) -> str:
    source = request.POST if request.method == "POST" else request.GET
    return source.get(name, "").replace("\0", "").strip()[:100]


def _frozen(request: ProjectRequest, form: FreezeForm) -> HttpResponse:
    project, said = request.project, form.cleaned_data
    wish: dict[str, Any] = {
        "project": project,
        "config": config_named(project=project, name=said["config"], author=request.actor),
        "name": said["name"],
        "waive": form.reasons,
    }
    if services.takes_long(project):
        with transaction.atomic():
            job = services.start_freezing(**wish, requested_by=request.actor)
            transaction.on_commit(partial(enqueue_job, job.pk))
        messages.success(request, _("The bundle is being frozen; it shows here when it is done."))
        return redirect("bundles:list", slug=project.slug)
    frozen = services.freeze(**wish, actor=request.actor)
    told = (
        _("Frozen as %(bundle)s.")
        if frozen.is_new
        else _("This content was frozen before: one content is one bundle, %(bundle)s.")
    )
    messages.success(request, told % {"bundle": frozen.bundle})
    return redirect("bundles:detail", slug=project.slug, number=frozen.bundle.number)


@access.project(access.REVIEWERS)
@require_POST
def approve(request: HttpRequest, slug: str) -> HttpResponse:
    """Approve every spec that waits, as the reviewer who is signed in."""
    admitted = cast(ProjectRequest, request)
    try:
        count = approve_all(admitted.project, actor=cast(User, admitted.actor))
    except ApplicationError as error:
        messages.error(request, error.message)
    else:
        messages.success(request, _("%(count)d specs are approved.") % {"count": count})
    return redirect(reverse("bundles:freeze", args=[slug]))
