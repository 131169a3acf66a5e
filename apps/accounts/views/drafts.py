"""Drafts of forms, as static/js/drafts.js keeps them: always one's own, in JSON."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import cast

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods
from pydantic import ValidationError

from apps.accounts import access
from apps.accounts.access import ProjectRequest
from apps.accounts.schemas import DraftIn
from apps.activity import selectors
from apps.activity import services as activity
from apps.activity.errors import ApplicationError, BadInput
from apps.activity.models import Draft

Answer = Callable[[ProjectRequest, str], HttpResponse]


@access.project(access.MEMBERS)
@never_cache
@require_http_methods(["GET", "PUT", "DELETE"])
def draft(request: HttpRequest, slug: str, key: str) -> HttpResponse:
    """What the person typed into the form of this key and has not saved yet."""
    answer = {"GET": _read, "PUT": _save, "DELETE": _drop}[request.method or "GET"]
    return answer(cast(ProjectRequest, request), key)


def _in_json(answer: Answer) -> Answer:
    """A refusal as the API words it: a sentence, and beside it what it is about."""

    @wraps(answer)
    def answered(request: ProjectRequest, key: str) -> HttpResponse:
        try:
            return answer(request, key)
        except ApplicationError as error:
            return JsonResponse({"error": error.message, **error.extra}, status=error.status)

    return answered


@_in_json
def _read(request: ProjectRequest, key: str) -> HttpResponse:
    found = selectors.draft_of(request.user, request.project, key).first()
    if found is None:
        return JsonResponse({"error": _("There is no draft of this form.")}, status=404)
    return JsonResponse({"body": found.body, **_state(found)})


@_in_json
def _save(request: ProjectRequest, key: str) -> HttpResponse:
    try:
        said = DraftIn.model_validate_json(request.body)
    except ValidationError as error:
        raise BadInput(_("The draft cannot be read: %s.") % error.errors()[0]["msg"]) from None
    kept = activity.save_draft(
        user=request.user, project=request.project, key=key, body=said.body, version=said.version
    )
    return JsonResponse(_state(kept))


@_in_json
def _drop(request: ProjectRequest, key: str) -> HttpResponse:
    if not activity.drop_draft(user=request.user, project=request.project, key=key):
        return JsonResponse({"error": _("There is no draft of this form.")}, status=404)
    return HttpResponse(status=204)


def _state(draft: Draft) -> dict[str, object]:
    return {"version": draft.version, "saved_at": draft.saved_at.isoformat()}
