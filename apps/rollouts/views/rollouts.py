"""One rollout: as a page, and as nothing but its text."""

from __future__ import annotations

from typing import cast

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from apps.accounts import access
from apps.accounts.access import ProjectRequest
from apps.prompts.schemas import shown_columns
from apps.rollouts import selectors
from apps.rollouts.models import Rollout


@access.project(access.READERS)
@require_safe
def show_rollout(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """One rollout: its text and what came with it. What was said of it is fetched afterwards."""
    rollout = _rollout(request, number)
    context = {
        "rollout": rollout,
        "turns": [(_title(one["role"]), one) for one in rollout.messages],
        "columns": shown_columns(rollout.columns),
        "revisions": selectors.revision_numbers(rollout),
        **selectors.beside(rollout)._asdict(),
    }
    return render(request, "rollouts/rollout.html", context)


@access.project(access.READERS)
@require_safe
def raw_rollout(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """The whole text of a rollout, and nothing else, however long it is."""
    messages = _rollout(request, number).messages
    whole = "\n\n".join(f"[{one['role']}]\n{one['content']}" for one in messages)
    text = messages[0]["content"] if len(messages) == 1 else whole
    return HttpResponse(text, content_type="text/plain; charset=utf-8")


def _title(role: str) -> str:
    """What stands over a message."""
    titles = {
        "assistant": _("Response"),
        "reasoning": _("Reasoning"),
        "tool_call": _("Tool call"),
        "tool_result": _("Tool result"),
        "user": _("User"),
        "system": _("System"),
    }
    return titles.get(role, role)


def _rollout(request: HttpRequest, number: int) -> Rollout:
    project = cast(ProjectRequest, request).project
    return get_object_or_404(selectors.rollouts_of(project), number=number)
