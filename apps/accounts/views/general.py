"""The first page of a project's settings: its texts, and the choices that its numbers rest on."""

from __future__ import annotations

from typing import Any, cast

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from apps.accounts import access, selectors, services
from apps.accounts.access import ProjectRequest
from apps.accounts.forms import ProjectForm
from apps.accounts.models import Role
from apps.activity import services as activity
from apps.activity.errors import BadInput, Conflict
from apps.activity.merging import BothChanged, seen_of

DRAFT_KEY = "settings"
TAKE = "take-"
UNUSABLE = 422
BOXES = ("approval_needs_second_person", "generated_checkers")


@access.project(access.READERS)
@require_safe
def settings(request: HttpRequest, slug: str) -> HttpResponse:
    """The texts and settings of the project; who may not change them reads them."""
    admitted = cast(ProjectRequest, request)
    return _page(admitted, _form_of(admitted))


@access.project(access.ADMINS)
@require_POST
def save_settings(request: HttpRequest, slug: str) -> HttpResponse:
    """Save; when somebody else changed the same text meanwhile, both are shown."""
    admitted = cast(ProjectRequest, request)
    form = ProjectForm(_with_choices_made(admitted))
    if not form.is_valid():
        return _page(admitted, form, status=UNUSABLE)
    seen = form.cleaned_data["seen"]
    try:
        services.change_project(
            project=admitted.project, fields=form.texts(), seen=seen, actor=admitted.actor
        )
    except Conflict as error:
        if "both_changed" not in error.extra:
            raise
        return _conflict_page(admitted, form, error)
    except BadInput as error:
        form.add_error(None, error.message)
        return _page(admitted, form, status=UNUSABLE)
    activity.drop_draft(user=admitted.user, project=admitted.project, key=DRAFT_KEY)
    messages.success(request, _("The settings are saved."))
    return redirect("accounts:settings", slug=slug)


def _form_of(request: ProjectRequest) -> ProjectForm:
    fields = selectors.project_fields(request.project)
    boxes = {name: fields[name] == str(True) for name in BOXES}
    return ProjectForm(initial={**fields, **boxes, "seen": seen_of(fields)})


def _with_choices_made(request: ProjectRequest) -> Any:
    """What was posted, with the other's text where the person chose it in a conflict."""
    posted = request.POST.copy()
    now = selectors.project_fields(request.project)
    for name, text in now.items():
        if posted.get(TAKE + name) == "theirs":
            posted[name] = text
    return posted


def _conflict_page(request: ProjectRequest, form: ProjectForm, error: Conflict) -> HttpResponse:
    """The form goes back as it was typed, and knows the other's texts: saving it again decides."""
    now = selectors.project_fields(request.project)
    posted = request.POST.copy()
    posted["seen"] = seen_of(now)
    fields = [_both_texts(form, one) for one in error.extra["both_changed"]]
    conflict = {"sentence": error.message, "fields": fields}
    return _page(request, ProjectForm(posted), status=error.status, conflict=conflict)


def _both_texts(form: ProjectForm, field: BothChanged) -> dict[str, Any]:
    """A field as components/conflict.html shows it; a choice by its words."""
    words = dict(getattr(form.fields[field.name], "choices", ()))
    return {
        "label": form.fields[field.name].label,
        "choice": TAKE + field.name,
        "mine": words.get(field.mine, field.mine),
        "theirs": words.get(field.theirs, field.theirs),
    }


def _page(
    request: ProjectRequest, form: ProjectForm, *, status: int = 200, **context: Any
) -> HttpResponse:
    context |= {"form": form, "may_change": Role.ADMIN in request.roles, "draft_key": DRAFT_KEY}
    return render(request, "accounts/general.html", context, status=status)
