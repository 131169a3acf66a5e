"""Making specs: begun by a person, carried by a job, shown while it goes on and after."""

from __future__ import annotations

from functools import partial
from typing import Any

from django.contrib import messages
from django.db import transaction
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from apps.accounts import access
from apps.accounts.access import ProjectRequest
from apps.activity import services as activity
from apps.activity.errors import ApplicationError
from apps.activity.listing import Filter, by_field, listing
from apps.activity.models import Job
from apps.activity.selectors import a_worker_beats
from apps.activity.tasks import enqueue_job
from apps.calls.models import ModelRole
from apps.calls.selectors import role_for
from apps.specs import selectors, services
from apps.specs.forms import MakeForm

QUEUE = "generation"


@access.project(access.AUTHORS)
@require_http_methods(["GET", "HEAD", "POST"])
def make(request: ProjectRequest, slug: str) -> HttpResponse:
    """Say how specs are made, and begin."""
    form = MakeForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        try:
            job = _started(request, form.cleaned_data)
        except ApplicationError as error:
            form.add_error(None, error.message)
        else:
            return redirect("specs:making", slug=slug, job=job.pk)
    context = {
        "form": form,
        "frame": selectors.list_frame(request.project, kind=services.KIND),
        "writer": role_for(request.project, ModelRole.Name.RUBRIC),
    }
    return render(request, "specs/make.html", context, status=422 if form.errors else 200)


def _started(request: ProjectRequest, said: dict[str, Any]) -> Job:
    job = services.start_making(
        project=request.project,
        method=said["method"],
        limit=said["limit"],
        remake=said["remake"],
        requested_by=request.user,
    )
    transaction.on_commit(partial(enqueue_job, job.pk))
    return job


@access.project(access.READERS)
@require_safe
def making(request: ProjectRequest, slug: str, job: int) -> HttpResponse:
    """How far a job is, what it made, and why prompts have no usable spec."""
    found = _find(request, job)
    causes = selectors.failure_causes(found)
    choices = [(cause, cause_words(cause)) for cause, _count in causes]
    context = {
        **_state(request, found),
        "causes": [(cause, cause_words(cause), count) for cause, count in causes],
        "found": listing(
            request,
            selectors.failures_of(found),
            filters=[Filter("cause", _("Cause"), by_field("cause"), choices)],
            key="prompt_revision__prompt__number",
        ),
    }
    return render(request, "specs/making.html", context)


@access.project(access.READERS)
@require_safe
def making_state(request: ProjectRequest, slug: str, job: int) -> HttpResponse:
    """How far a job is, as a part of a page."""
    return render(request, "specs/_making.html", _state(request, _find(request, job)))


@access.project(access.AUTHORS)
@require_POST
def pause_making(request: ProjectRequest, slug: str, job: int) -> HttpResponse:
    """Begin no further prompt until a person resumes it."""
    found = _find(request, job)
    reason = _("Paused by %(person)s.") % {"person": request.user}
    return _acted(request, found, moved=activity.pause_job(job=found, reason=reason))


@access.project(access.AUTHORS)
@require_POST
def resume_making(request: ProjectRequest, slug: str, job: int) -> HttpResponse:
    """Go on with the prompts that are left."""
    found = _find(request, job)
    moved = activity.resume_job(job=found)
    if moved:
        transaction.on_commit(partial(enqueue_job, found.pk))
    return _acted(request, found, moved=moved)


@access.project(access.AUTHORS)
@require_POST
def cancel_making(request: ProjectRequest, slug: str, job: int) -> HttpResponse:
    """End it; what was made stays."""
    found = _find(request, job)
    return _acted(request, found, moved=activity.cancel_job(job=found))


def _acted(request: ProjectRequest, job: Job, *, moved: bool) -> HttpResponse:
    if not moved:
        messages.error(request, _("The job is in another state by now: nothing was changed."))
    return redirect("specs:making", slug=request.project.slug, job=job.pk)


def _find(request: ProjectRequest, pk: int) -> Job:
    job = selectors.find_making(request.project, pk, kind=services.KIND)
    if job is None:
        raise Http404
    return job


def _state(request: ProjectRequest, job: Job) -> dict[str, Any]:
    waits = job.state in (Job.State.QUEUED, Job.State.RUNNING)
    without = job.arguments["method"] in (services.GIVEN, services.RULES)
    writer = None if without else _writer(request)
    return {
        "job": job,
        "made": selectors.made_by(job),
        "refused": selectors.refused_types(job).most_common(),
        "under_way": waits,
        "unheard": waits and not a_worker_beats(QUEUE),
        "writer": writer,
        "may_make": bool(request.roles & access.AUTHORS),
    }


def _writer(request: ProjectRequest) -> ModelRole | None:
    return role_for(request.project, ModelRole.Name.RUBRIC)


def cause_words(cause: str) -> str:
    """A cause of a failure as people read it."""
    words = {
        "no_checker": _("no checker answers it"),
        "nothing_given": _("nothing was published"),
        "unreadable": _("cannot be read as a spec"),
        "overtaken": _("somebody saved a version meanwhile"),
    }
    return words.get(cause, cause.replace("_", " "))
