"""What a person does with runs: start, pause, resume, cancel, ask again what failed."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, wraps
from typing import Any, cast

from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from apps.accounts import access
from apps.accounts.access import ProjectRequest
from apps.activity.errors import ApplicationError, BadInput
from apps.judging import selectors, services, tasks
from apps.judging.forms import StartRunForm
from apps.judging.models import JudgeRun

GIVEN = ("rollouts", "limit")
Act = Callable[[HttpRequest, str, int], HttpResponse]


def said_on_the_run(act: Act) -> Act:
    """Say on the page of the run why an act cannot be done, and leave everything as it is."""

    @wraps(act)
    def said(request: HttpRequest, slug: str, number: int) -> HttpResponse:
        try:
            return act(request, slug, number)
        except ApplicationError as error:
            messages.error(request, error.message)
            return redirect("judging:run", slug=slug, number=number)

    return said


@access.project(access.AUTHORS)
@require_http_methods(["GET", "HEAD", "POST"])
def start_run(request: HttpRequest, slug: str) -> HttpResponse:
    """Say what is judged, by whom and how much that is; then start it."""
    given = {name: request.GET[name] for name in GIVEN if name in request.GET}
    form = StartRunForm(request.POST or None, initial=given)
    if request.method == "POST" and form.is_valid():
        try:
            return _started(cast(ProjectRequest, request), form)
        except ApplicationError as error:
            form.add_error(None, error.message)
    project = cast(ProjectRequest, request).project
    context = {"form": form, "scale": selectors.scale_of(project), **_judges(request)}
    return render(request, "judging/start.html", context, status=422 if form.errors else 200)


def _started(request: ProjectRequest, form: StartRunForm) -> HttpResponse:
    with transaction.atomic():
        started = services.start_run(
            project=request.project, requested_by=request.actor, **form.wish()
        )
        _dispatch(started.run)
    said = _("Run %(number)d is started.") % {"number": started.run.number}
    messages.success(request, f"{said} {started.notice}".strip())
    return _to(started.run)


def _judges(request: HttpRequest) -> dict[str, Any]:
    project = cast(ProjectRequest, request).project
    roles = selectors.judging_roles(project)
    return {"roles": roles, "embedded": any(role.endpoint.is_embedded for role in roles)}


@access.project(access.AUTHORS)
@require_POST
@said_on_the_run
def pause_run(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Ask nothing more until it is resumed; what is under way is still stored."""
    run = _run(request, number)
    if services.pause_run(run=run, actor=cast(ProjectRequest, request).actor):
        undo = reverse("judging:resume", args=[slug, number])
        said = _("Run %(number)d is paused.") % {"number": number}
        messages.success(request, said, extra_tags=undo)
    return _to(run)


@access.project(access.AUTHORS)
@require_POST
@said_on_the_run
def resume_run(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Let it go on with the cells that have no verdict."""
    run = _run(request, number)
    with transaction.atomic():
        if services.resume_run(run=run, actor=cast(ProjectRequest, request).actor):
            _dispatch(run)
            messages.success(request, _("Run %(number)d goes on.") % {"number": number})
    return _to(run)


@access.project(access.AUTHORS)
@require_POST
@said_on_the_run
def cancel_run(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """End it; its verdicts are kept."""
    run = _run(request, number)
    if services.cancel_run(run=run, actor=cast(ProjectRequest, request).actor):
        said = _("Run %(number)d is cancelled; its verdicts are kept.") % {"number": number}
        messages.success(request, said)
    return _to(run)


@access.project(access.AUTHORS)
@require_POST
@said_on_the_run
def retry_failed(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Start a run that asks again what failed in this one."""
    parent = _run(request, number)
    with transaction.atomic():
        actor = cast(ProjectRequest, request).actor
        child = services.start_child_run(parent=parent, requested_by=actor)
        if child is None:
            raise BadInput(_("Run %(number)d has no failed cells.") % {"number": number})
        _dispatch(child)
    said = _("Run %(child)d asks again what failed in run %(number)d.")
    messages.success(request, said % {"child": child.number, "number": number})
    return _to(child)


def _run(request: HttpRequest, number: int) -> JudgeRun:
    project = cast(ProjectRequest, request).project
    return get_object_or_404(selectors.runs_of(project), number=number)


def _dispatch(run: JudgeRun) -> None:
    transaction.on_commit(partial(tasks.dispatch_run.delay, run.pk))


def _to(run: JudgeRun) -> HttpResponse:
    return redirect("judging:run", slug=run.project.slug, number=run.number)
