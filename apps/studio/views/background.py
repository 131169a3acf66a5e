"""Background work: how far it is, whether anybody carries it, and what a person does with it."""

from __future__ import annotations

from functools import partial
from typing import cast

from django.contrib import messages
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST, require_safe
from django.views.decorators.vary import vary_on_headers

from apps.accounts import access
from apps.accounts.access import ProjectRequest
from apps.accounts.models import User
from apps.accounts.selectors import projects_seen_by
from apps.activity import services
from apps.activity.errors import Conflict
from apps.activity.listing import Filter, by_field, listing
from apps.activity.models import Job
from apps.activity.selectors import jobs_of, known_workers
from apps.activity.tasks import enqueue_job
from apps.studio import selectors
from apps.studio.health import workers_part

FILTERS = (
    Filter("state", gettext_lazy("State"), by_field("state"), choices=Job.State.choices),
    Filter("project", gettext_lazy("Project"), by_field("project__slug")),
)


@access.signed_in
@require_safe
@vary_on_headers("HX-Request")
def jobs(request: HttpRequest) -> HttpResponse:
    """Background work, newest first; htmx asks for the list alone, again and again."""
    user = cast(User, request.user)
    found = listing(request, jobs_of(projects_seen_by(user)), filters=FILTERS)
    lines = selectors.job_lines(found.items, user)
    context = {
        "found": found,
        "lines": lines,
        "at_work": any(not line.job.is_final for line in lines),
        "workers": list(known_workers()),
        "workers_part": workers_part(),
    }
    template = "_jobs.html" if "HX-Request" in request.headers else "jobs.html"
    return render(request, f"studio/{template}", context)


@access.project(access.AUTHORS)
@require_POST
def cancel_job(request: HttpRequest, slug: str, job: int) -> HttpResponse:
    """End it; what it has done stays."""
    services.stop_job(job=_job(request, job), actor=cast(User, request.user))
    messages.success(request, _("Cancelled. What it has done so far stays."))
    return redirect("studio:jobs")


@access.project(access.AUTHORS)
@require_POST
def resume_job(request: HttpRequest, slug: str, job: int) -> HttpResponse:
    """Let a paused job go on."""
    with transaction.atomic():
        services.continue_job(job=_job(request, job), actor=cast(User, request.user))
        transaction.on_commit(partial(enqueue_job, job))
    messages.success(request, _("It goes on as soon as a worker is free."))
    return redirect("studio:jobs")


@access.project(access.AUTHORS)
@require_POST
def repeat_job(request: HttpRequest, slug: str, job: int) -> HttpResponse:
    """Ask for the same again, where what is done already is not done twice."""
    found = _job(request, job)
    if found.kind not in selectors.REPEATED:
        raise Conflict(_("This kind of job is started again on the page of its work."))
    with transaction.atomic():
        again = services.repeat_job(job=found, actor=cast(User, request.user))
        transaction.on_commit(partial(enqueue_job, again.pk))
    messages.success(request, _("Asked again, as job %(pk)d.") % {"pk": again.pk})
    return redirect("studio:jobs")


def _job(request: HttpRequest, pk: int) -> Job:
    """A job of the project; not of a run, which has a page for this."""
    project = cast(ProjectRequest, request).project
    job = Job.objects.filter(project=project, pk=pk).select_related("project").first()
    if job is None:
        raise Http404
    if job.kind == selectors.JUDGE:
        raise Conflict(_("This is done on the page of the run, which says what is kept."))
    return job
