"""Which models are asked, where, by whom set; only who administers the installation changes them.

A project's page shows what plays its roles. `?project=SLUG` lets an administrator set an endpoint
or a role for that project alone.
"""

from __future__ import annotations

from datetime import timedelta
from functools import partial
from typing import Any, cast

from django.contrib import messages
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from apps.accounts import access
from apps.accounts.access import ProjectRequest
from apps.accounts.models import Project, User
from apps.activity.errors import ApplicationError
from apps.activity.selectors import a_worker_beats
from apps.activity.tasks import enqueue_job
from apps.calls import selectors, services
from apps.calls.forms import EndpointForm, RoleForm
from apps.calls.models import ModelEndpoint, ModelRole
from apps.calls.services.sampling import as_stored, default_sampling, read_sampling

UNUSABLE = 422
USAGE_DAYS = 30
QUEUE = "default"


@access.project(access.READERS)
@require_safe
def project_models(request: HttpRequest, slug: str) -> HttpResponse:
    """What plays the six roles of the project, and what it was asked lately."""
    project = cast(ProjectRequest, request).project
    since = timezone.now() - timedelta(days=USAGE_DAYS)
    context = {
        "roles": selectors.role_lines(project),
        "usage": selectors.usage(project, since=since),
        "days": USAGE_DAYS,
        "endpoints": [one for one in selectors.endpoints_of(project) if one.project_id],
        "scope": project,
    }
    return render(request, "calls/project_models.html", context)


@access.site_admin
@require_safe
def installation(request: HttpRequest) -> HttpResponse:
    """Every endpoint, and the models that play a role where a project has none of its own."""
    context = {
        "endpoints": selectors.all_endpoints(),
        "roles": selectors.role_lines(None),
        "scope": None,
    }
    return render(request, "calls/installation.html", context)


@access.site_admin
@require_http_methods(["GET", "POST"])
def new_endpoint(request: HttpRequest) -> HttpResponse:
    """Enter a model server, for the installation or for one project."""
    scope = _scope(request)
    form = EndpointForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            made = services.create_endpoint(
                project=scope, values=form.values(), api_key=form.key() or "", actor=_actor(request)
            )
        except ApplicationError as error:
            form.add_error(None, error.message)
        else:
            _probe_on_commit(made, request)
            return redirect("calls:endpoint", endpoint=made.pk)
    context = {"form": form, "scope": scope}
    return render(request, "calls/new_endpoint.html", context, status=_status(form))


@access.site_admin
@require_http_methods(["GET", "POST"])
def endpoint(request: HttpRequest, endpoint: int) -> HttpResponse:
    """One server: how it is reached, what a probe found, which roles it plays."""
    row = _endpoint(endpoint)
    data = request.POST or None
    form = EndpointForm(data, endpoint=row, initial=EndpointForm.initial_of(row))
    if request.method == "POST" and form.is_valid():
        try:
            services.change_endpoint(
                endpoint=row, values=form.values(), api_key=form.key(), actor=_actor(request)
            )
        except ApplicationError as error:
            form.add_error(None, error.message)
        else:
            messages.success(request, _("The endpoint is saved."))
            return redirect("calls:endpoint", endpoint=row.pk)
    context = {"form": form, "scope": row.project, **_found(row)}
    return render(request, "calls/endpoint.html", context, status=_status(form))


@access.site_admin
@require_POST
def probe(request: HttpRequest, endpoint: int) -> HttpResponse:
    """Ask the server by a job: this page waits for no model."""
    row = _endpoint(endpoint)
    _probe_on_commit(row, request)
    return redirect("calls:endpoint", endpoint=row.pk)


@access.site_admin
@require_safe
def found(request: HttpRequest, endpoint: int) -> HttpResponse:
    """The part that shows what a probe found, and asks again while one is under way."""
    return render(request, "calls/_found.html", _found(_endpoint(endpoint)))


@access.site_admin
@require_POST
def switch_off(request: HttpRequest, endpoint: int) -> HttpResponse:
    """Ask nothing of it; the toast undoes it."""
    row = _endpoint(endpoint)
    services.switch_endpoint(endpoint=row, on=False, actor=_actor(request))
    undo = reverse("calls:switch_on", args=[row.pk])
    messages.success(request, _("%(name)s is switched off.") % {"name": row}, extra_tags=undo)
    return redirect("calls:endpoint", endpoint=row.pk)


@access.site_admin
@require_POST
def switch_on(request: HttpRequest, endpoint: int) -> HttpResponse:
    """Ask it again."""
    row = _endpoint(endpoint)
    services.switch_endpoint(endpoint=row, on=True, actor=_actor(request))
    messages.success(request, _("%(name)s is switched on.") % {"name": row})
    return redirect("calls:endpoint", endpoint=row.pk)


@access.site_admin
@require_http_methods(["GET", "POST"])
def role(request: HttpRequest, role: str) -> HttpResponse:
    """Which model plays a role, in the installation or in one project."""
    name, scope = _role(role), _scope(request)
    playing = selectors.role_for(scope, name)
    form = _role_form(request, name, scope, playing)
    if request.method == "POST" and "defaults" not in request.POST and form.is_valid():
        try:
            _save_role(request, name, scope, playing, form)
        except ApplicationError as error:
            form.add_error(None, error.message)
        else:
            messages.success(request, _("The role is set; no run that is under way changes."))
            return redirect(_home(scope))
    endpoints = list(selectors.endpoints_of(scope))
    context = {
        "form": form,
        "role": name,
        "scope": scope,
        "playing": playing,
        "own": playing is not None and playing.project_id == (scope.pk if scope else None),
        "models": selectors.known_models(endpoints),
        "has_endpoints": bool(endpoints),
    }
    return render(request, "calls/role.html", context, status=_status(form))


@access.site_admin
@require_POST
def reset_role(request: HttpRequest, role: str) -> HttpResponse:
    """Let the installation, or the environment, decide again."""
    name, scope = _role(role), _scope(request)
    services.reset_role(project=scope, role=name, actor=_actor(request))
    messages.success(request, _("The role is played by what it was played by before."))
    return redirect(_home(scope))


def _role_form(
    request: HttpRequest, name: str, scope: Project | None, playing: ModelRole | None
) -> RoleForm:
    """As it is stored, as it was typed, or typed with the defaults of the model's family."""
    endpoints = selectors.endpoints_of(scope).filter(disabled_at__isnull=True)
    if request.method == "POST" and "defaults" not in request.POST:
        return RoleForm(request.POST, endpoints=endpoints)
    said = request.POST if request.method == "POST" else {}
    model = said.get("model") or (playing.model if playing else "")
    if playing is not None and request.method == "GET":
        sampling = read_sampling(playing)
    else:
        sampling = default_sampling(name, model=model)
    initial = {
        **as_stored(sampling),
        "model": model,
        "endpoint": said.get("endpoint") or (playing.endpoint_id if playing else None),
        "weights_revision": said.get("weights_revision")
        or (playing.weights_revision if playing else ""),
    }
    return RoleForm(initial=initial, endpoints=endpoints)


def _save_role(
    request: HttpRequest,
    name: str,
    scope: Project | None,
    playing: ModelRole | None,
    form: RoleForm,
) -> None:
    said = form.cleaned_data
    same = playing is not None and playing.model == said["model"]
    before = playing.sampling if playing is not None and same else {}
    if not same:
        before = as_stored(default_sampling(name, model=said["model"]))
    services.set_role(
        project=scope,
        role=name,
        endpoint=said["endpoint"],
        model=said["model"],
        weights_revision=said["weights_revision"],
        sampling=form.sampling(before),
        actor=_actor(request),
    )


def _found(row: ModelEndpoint) -> dict[str, Any]:
    job = selectors.last_probe_job(row)
    under_way = job is not None and not job.is_final
    return {
        "endpoint": row,
        "job": job,
        "under_way": under_way,
        "nobody_works": under_way and not a_worker_beats(QUEUE),
        "found": sorted((model, one) for model, one in row.probe.items() if model),
        "listed": row.probe.get(services.NO_MODEL, {}),
    }


def _probe_on_commit(row: ModelEndpoint, request: HttpRequest) -> None:
    job = services.start_probe(endpoint=row, actor=_actor(request))
    transaction.on_commit(partial(enqueue_job, job.pk))


def _endpoint(pk: int) -> ModelEndpoint:
    rows = ModelEndpoint.objects.select_related("project").prefetch_related("roles__project")
    return get_object_or_404(rows, pk=pk)


def _role(name: str) -> ModelRole.Name:
    if name not in ModelRole.Name.values:
        raise Http404
    return ModelRole.Name(name)


def _scope(request: HttpRequest) -> Project | None:
    """The project that the address names, else the whole installation."""
    slug = request.GET.get("project", "")
    return get_object_or_404(Project, slug=slug) if slug else None


def _home(scope: Project | None) -> str:
    return reverse("calls:models", args=[scope.slug]) if scope else reverse("calls:installation")


def _actor(request: HttpRequest) -> User:
    return cast(User, request.user)


def _status(form: EndpointForm | RoleForm) -> int:
    return UNUSABLE if form.errors else 200
