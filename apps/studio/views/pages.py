"""The pages of the installation: home, projects, health."""

from __future__ import annotations

from typing import cast

from django.contrib import messages
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe
from django.views.decorators.vary import vary_on_headers

from apps.accounts import access
from apps.accounts.models import Project, User
from apps.accounts.selectors import projects_seen_by
from apps.accounts.services import create_project
from apps.activity.errors import ApplicationError
from apps.activity.listing import Filter, listing
from apps.studio import demo, selectors
from apps.studio.forms import ProjectForm
from apps.studio.health import all_parts, checks

IN_THE_MENU = 30
AT_HOME = 50
WAITING = 20
ARCHIVED = 100
NOT_WELL = 503
UNUSABLE = 422


def _by_name(projects: QuerySet[Project], text: str) -> QuerySet[Project]:
    return projects.filter(Q(name__icontains=text) | Q(slug__icontains=text))


PROJECT_FILTERS = (Filter("q", gettext_lazy("Find by name"), _by_name),)


@access.signed_in
@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """What waits for the person, oldest first, and their projects with their flow in short."""
    user = cast(User, request.user)
    waiting = selectors.waiting_for(user)
    some = list(open_projects(user)[: AT_HOME + 1])
    context = {
        "waiting": waiting[:WAITING],
        "more_waiting": len(waiting[WAITING:]),
        "lines": selectors.project_lines(some[:AT_HOME]),
        "more_projects": len(some) > AT_HOME,
    }
    return render(request, "studio/home.html", context)


@access.signed_in
@require_http_methods(["GET", "HEAD", "POST"])
@vary_on_headers("HX-Request")
def projects(request: HttpRequest) -> HttpResponse:
    """All projects that the person may see, and a form for a new one; htmx gets the menu."""
    user = cast(User, request.user)
    if request.method == "POST":
        return _create_project(request, user)
    if "HX-Request" in request.headers:
        menu = {"projects": open_projects(user)[:IN_THE_MENU]}
        return render(request, "studio/_project_menu.html", menu)
    return _projects_page(request, user, ProjectForm())


def _create_project(request: HttpRequest, user: User) -> HttpResponse:
    form = ProjectForm(request.POST)
    if not form.is_valid():
        return _projects_page(request, user, form, status=UNUSABLE)
    try:
        project = create_project(**form.cleaned_data, actor=user)
    except ApplicationError as error:
        form.add_error("slug", error.message)
        return _projects_page(request, user, form, status=error.status)
    messages.success(request, _("Created. It begins with prompts."))
    return redirect("studio:overview", slug=project.slug)


def _projects_page(
    request: HttpRequest, user: User, form: ProjectForm, *, status: int = 200
) -> HttpResponse:
    found = listing(request, open_projects(user), filters=PROJECT_FILTERS, key="slug")
    archived = projects_seen_by(user).filter(archived_at__isnull=False).order_by("-archived_at")
    context = {
        "found": found,
        "lines": selectors.project_lines(found.items),
        "archived": archived[:ARCHIVED],
        "form": form,
        "demo_is_there": demo.is_there(),
    }
    return render(request, "studio/projects.html", context, status=status)


def open_projects(user: User) -> QuerySet[Project]:
    return projects_seen_by(user).filter(archived_at__isnull=True)


@access.signed_in
@require_safe
@never_cache
def health(request: HttpRequest) -> HttpResponse:
    """Is the machine well, and what to do where it is not."""
    parts = all_parts()
    context = {"parts": parts, "ill": sum(not part.ok for part in parts)}
    return render(request, "studio/health.html", context)


@access.public
@require_safe
@never_cache
def healthz(request: HttpRequest) -> HttpResponse:
    """For probes: `ok` only when every part answers; no detail, no secret."""
    answers = checks.ask_all()
    # Its rung is told and never counts: without it everything but generated checkers works.
    jail = answers.pop("jail")
    workers = answers["workers"].facts.get("workers", [])
    parts = {name: "ok" if answer.ok else "no answer" for name, answer in answers.items()}
    well = all(answer.ok for answer in answers.values()) and bool(workers)
    status = {
        "status": "ok" if well else "not ok",
        **parts,
        "workers": len(workers),
        "jail": jail.facts.get("rung", "no answer"),
    }
    return JsonResponse(status, status=200 if well else NOT_WELL)
