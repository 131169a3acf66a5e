"""Reward configurations: the list, one version in full, and saving another."""

from __future__ import annotations

from typing import Any, cast

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_safe

from apps.accounts import access
from apps.accounts.access import ProjectRequest
from apps.activity.errors import ApplicationError
from apps.activity.listing import Filter, by_field, listing
from apps.rewards import selectors, services
from apps.rewards.forms import ConfigForm
from apps.rewards.models import RewardConfig
from rubricstudio.core.errors import CoreError
from rubricstudio.core.rewards import HybridSettings

UNUSABLE = 422


@access.project(access.READERS)
@require_safe
def list_configs(request: HttpRequest, slug: str) -> HttpResponse:
    """Every version of every configuration, newest first."""
    project = cast(ProjectRequest, request).project
    names = selectors.config_names(project)
    filters = [
        Filter(
            "name",
            gettext_lazy("Name"),
            by_field("name"),
            choices=[(name, name) for name in names],
        )
    ]
    found = listing(request, selectors.config_list(project), filters=filters if names else ())
    return render(
        request, "rewards/configs.html", {"found": found, "may_write": _may_write(request)}
    )


@access.project(access.READERS)
@require_safe
def show_config(request: HttpRequest, slug: str, config: int) -> HttpResponse:
    """One version, every setting in full."""
    one = _config(request, config)
    context = {
        "config": one,
        "settings": _flat(one.settings),
        "runs": one.runs.order_by("-number").values_list("number", flat=True)[:20],
        "may_write": _may_write(request),
    }
    return render(request, "rewards/config.html", context)


@access.project(access.AUTHORS)
@require_http_methods(["GET", "HEAD", "POST"])
def new_config(request: HttpRequest, slug: str) -> HttpResponse:
    """Save settings under a name, beginning from those of a version or of the project."""
    admitted = cast(ProjectRequest, request)
    form = ConfigForm(request.POST or None, initial=_beginning(admitted))
    if request.method == "POST" and form.is_valid():
        try:
            return _saved(admitted, form)
        except (ApplicationError, CoreError) as error:
            form.add_error(None, str(error))
    context = {"form": form, "names": selectors.config_names(admitted.project)}
    status = UNUSABLE if form.errors else 200
    return render(request, "rewards/new_config.html", context, status=status)


def _saved(request: ProjectRequest, form: ConfigForm) -> HttpResponse:
    config = services.save_config(
        project=request.project,
        name=form.cleaned_data["name"],
        settings=form.settings(),
        author=request.actor,
    )
    messages.success(request, _("Saved as %(config)s.") % {"config": config})
    return redirect("rewards:config", slug=request.project.slug, config=config.pk)


def _beginning(request: ProjectRequest) -> dict[str, Any]:
    given = request.GET.get("from", "")
    if given.isdecimal() and len(given) < 10:
        config = _config(request, int(given))
        return {"name": _own_name(config), **_fields(config.settings)}
    return _fields(services.default_settings(request.project))


def _own_name(config: RewardConfig) -> str:
    """The name to save a next version under; the default one follows the project's settings."""
    return "" if config.name == services.DEFAULT else config.name


def _fields(settings: dict[str, Any]) -> dict[str, Any]:
    return ConfigForm.initial_of(HybridSettings.from_dict(settings))


def _config(request: HttpRequest, pk: int) -> RewardConfig:
    project = cast(ProjectRequest, request).project
    return get_object_or_404(selectors.configs_of(project), pk=pk)


def _flat(settings: dict[str, Any]) -> list[tuple[str, str]]:
    """Each setting by name; the parameters of a choice behind its own."""
    rows = []
    for name, value in settings.items():
        if isinstance(value, dict):
            rows += [(f"{name} · {key}", str(one)) for key, one in value.items()]
        else:
            rows.append((name, str(value)))
    return [(name.replace("_", " "), value.replace("_", " ")) for name, value in rows]


def _may_write(request: HttpRequest) -> bool:
    return bool(cast(ProjectRequest, request).roles & access.AUTHORS)
