"""The life of a project: taken out as a file, copied, archived, deleted, and brought in."""

from __future__ import annotations

from functools import partial
from typing import Any, cast

from django.conf import settings
from django.contrib import messages
from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse, reverse_lazy
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django.views.decorators.vary import vary_on_headers

from apps.accounts import access
from apps.accounts import services as accounts
from apps.accounts.access import ProjectRequest
from apps.accounts.models import User
from apps.activity import services as activity
from apps.activity.confirming import Confirmation, ask_for_name, reason_of
from apps.activity.errors import ApplicationError, BadInput
from apps.activity.models import Job
from apps.activity.selectors import jobs_under_way
from apps.activity.tasks import enqueue_job
from apps.prompts.uploads import ImportUploadHandler, path_of
from apps.studio import selectors, services
from apps.studio.forms import NamesForm

UNUSABLE = 422
FRAME = "accounts/settings.html"
IMPORT = reverse_lazy("studio:import_project")


@access.project(access.ADMINS)
@require_safe
@vary_on_headers("HX-Request")
def danger(request: HttpRequest, slug: str) -> HttpResponse:
    """Export, copy, archive, delete; htmx asks for the copies under way alone."""
    admitted = cast(ProjectRequest, request)
    if "HX-Request" in request.headers:
        jobs = selectors.copies_of(admitted.project)
        return render(request, "studio/_moving.html", _moving(jobs, _address(admitted)))
    return _danger_page(admitted, NamesForm())


@access.project(access.ADMINS)
@require_POST
def export(request: HttpRequest, slug: str) -> HttpResponse | StreamingHttpResponse:
    """The whole project as one file, made while it is sent."""
    admitted = cast(ProjectRequest, request)
    pieces = services.export_project(admitted.project, actor=admitted.actor)
    response = StreamingHttpResponse(pieces, content_type="application/zip")
    name = f"{slug}-{timezone.now():%Y-%m-%d}.zip"
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


@access.project(access.ADMINS)
@require_POST
def copy(request: HttpRequest, slug: str) -> HttpResponse:
    """A new project with the settings, prompts and specs of this one, by a job."""
    admitted = cast(ProjectRequest, request)
    form = NamesForm(request.POST)
    if not form.is_valid():
        return _danger_page(admitted, form, status=UNUSABLE)
    try:
        job = services.start_copy(
            project=admitted.project, **form.cleaned_data, actor=admitted.user
        )
    except ApplicationError as error:
        form.add_error("slug", error.message)
        return _danger_page(admitted, form, status=error.status)
    transaction.on_commit(partial(enqueue_job, job.pk))
    messages.success(request, _("The copy is being made."))
    return redirect("studio:danger", slug=slug)


@access.project(access.ADMINS)
@require_POST
def archive(request: HttpRequest, slug: str) -> HttpResponse:
    """Read-only, and out of the lists; the toast undoes it."""
    admitted = cast(ProjectRequest, request)
    accounts.archive_project(project=admitted.project, actor=admitted.actor)
    undo = reverse("studio:unarchive", args=[slug])
    messages.success(request, _("The project is archived."), extra_tags=undo)
    return redirect("studio:danger", slug=slug)


@access.project(access.ADMINS)
@require_POST
def unarchive(request: HttpRequest, slug: str) -> HttpResponse:
    """Open again."""
    admitted = cast(ProjectRequest, request)
    accounts.unarchive_project(project=admitted.project, actor=admitted.actor)
    messages.success(request, _("The project is open again."))
    return redirect("studio:danger", slug=slug)


@access.project(access.ADMINS)
@require_http_methods(["GET", "POST"])
def delete(request: HttpRequest, slug: str) -> HttpResponse:
    """Everything goes but the trail; the short name is typed first."""
    admitted = cast(ProjectRequest, request)
    refused = ask_for_name(request, _confirmation(admitted), frame=FRAME)
    if refused is not None:
        return refused
    job = services.start_deletion(
        project=admitted.project, reason=reason_of(request), actor=admitted.user
    )
    transaction.on_commit(partial(enqueue_job, job.pk))
    messages.success(request, _("The project %(slug)s is deleted.") % {"slug": slug})
    return redirect("studio:projects")


def _confirmation(request: ProjectRequest) -> Confirmation:
    project = request.project
    counts = selectors.contents_of(project)
    has_bundles = any(one.key == "bundles" and one.number for one in counts)
    sentence = _(
        "The project and all that is in it go for good: trainers cannot fetch its bundles any "
        "more. The audit trail stays: who, when, why, these counts, and the ids of its bundles. "
        "Export the project first where you may want it back."
    )
    return Confirmation(
        title=_("Delete the project"),
        sentence=sentence,
        expected=project.slug,
        act=_("Delete for good"),
        back=reverse("studio:danger", args=[project.slug]),
        counts=[(one.label, one.number) for one in counts],
        needs_reason=has_bundles,
    )


def _danger_page(request: ProjectRequest, form: NamesForm, *, status: int = 200) -> HttpResponse:
    context = {
        "form": form,
        "under_way": jobs_under_way(request.project).count(),
        **_moving(selectors.copies_of(request.project), _address(request)),
    }
    return render(request, "studio/danger.html", context, status=status)


@csrf_exempt  # the middleware would read the form before its handler is set; checked below
@access.site_admin
@require_http_methods(["GET", "HEAD", "POST"])
@vary_on_headers("HX-Request")
def import_project(request: HttpRequest) -> HttpResponse:
    """Bring a project in from a file; htmx asks for the imports under way alone."""
    if request.method == "POST":
        request.upload_handlers = [ImportUploadHandler(request)]
        try:
            return csrf_protect(_receive)(request)
        except ApplicationError as error:
            return _import_page(request, NamesForm(), problem=error.message, status=error.status)
    if "HX-Request" in request.headers:
        return render(request, "studio/_moving.html", _moving(selectors.arrivals(), IMPORT))
    return _import_page(request, NamesForm())


def _receive(request: HttpRequest) -> HttpResponse:
    form = NamesForm(request.POST)
    file = request.FILES.get("file")
    if not form.is_valid():
        return _import_page(request, form, status=UNUSABLE)
    if not isinstance(file, UploadedFile):
        raise BadInput(_("No file came along: choose the export of a project."))
    said = form.cleaned_data
    try:
        job = services.start_import(received=path_of(file), **said, actor=cast(User, request.user))
    except ApplicationError as error:
        return _import_page(request, form, problem=error.message, status=error.status)
    transaction.on_commit(partial(enqueue_job, job.pk))
    messages.success(request, _("The project is being brought in."))
    return redirect("studio:import_project")


@access.site_admin
@require_POST
def empty_again(request: HttpRequest, job: int) -> HttpResponse:
    """Empty a deleted project whose job did not get to its end."""
    ended = get_object_or_404(Job, pk=job, project=None, kind=services.DELETING)
    again = activity.repeat_job(job=ended, actor=cast(User, request.user))
    transaction.on_commit(partial(enqueue_job, again.pk))
    return redirect("studio:import_project")


def _import_page(
    request: HttpRequest, form: NamesForm, *, problem: str = "", status: int = 200
) -> HttpResponse:
    context: dict[str, Any] = {
        "form": form,
        "problem": problem,
        "limit": settings.IMPORT_MAX_BYTES,
        **_moving(selectors.arrivals(), IMPORT),
    }
    return render(request, "studio/import_project.html", context, status=status)


def _address(request: ProjectRequest) -> str:
    return reverse("studio:danger", args=[request.project.slug])


def _moving(jobs: list[Job], address: Any) -> dict[str, Any]:
    """Jobs, and where the part that shows them asks again while one is open."""
    under_way = any(not job.is_final for job in jobs)
    there = selectors.projects_there([job.result.get("project", "") for job in jobs])
    return {"jobs": jobs, "there": there, "moving_url": address if under_way else ""}
