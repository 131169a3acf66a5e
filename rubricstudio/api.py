"""The REST API: every app's router under its project, one way in, one shape of error.

An error is `{"error": sentence}` with its status; one made of parts adds them beside the sentence.
"""

from __future__ import annotations

from typing import Any, cast

from django.core.exceptions import RequestDataTooBig
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.urls import URLPattern, URLResolver, path, reverse
from django.utils.translation import gettext as _
from ninja import NinjaAPI
from ninja.errors import HttpError, ValidationError
from ninja.security import HttpBearer

from apps.accounts import access
from apps.accounts import api as accounts
from apps.activity.errors import ApplicationError, request_too_big
from apps.bundles import api as bundles
from apps.judging import api as judging
from apps.prompts import api as prompts
from apps.rewards import api as rewards
from apps.rollouts import api as rollouts
from apps.specs import api as specs
from rubricstudio.core.errors import CoreError


class Admitted(HttpBearer):
    """Names the bearer token in the OpenAPI document; the middleware has checked it by now."""

    # Lets the documentation page send the session's CSRF token along.
    csrf = True

    def __call__(self, request: HttpRequest) -> Any:
        admitted = cast(access.ProjectRequest, request)
        return admitted.token or admitted.actor

    def authenticate(self, request: HttpRequest, token: str) -> Any:
        return self(request)


class StudioAPI(NinjaAPI):
    """Ninja's API whose bare address leads to its documentation."""

    def _get_urls(self) -> list[URLResolver | URLPattern]:
        *urls, root = super()._get_urls()
        return [*urls, path("", to_documentation, name=cast(URLPattern, root).name)]


@access.public
def to_documentation(request: HttpRequest) -> HttpResponse:
    return HttpResponseRedirect(reverse("api-1:openapi-view"))


api = StudioAPI(
    title="Rubric Studio",
    version="1",
    auth=Admitted(),
    docs_decorator=access.public,
    description="Everything is under a project; lists are paged by `after` and `next`.",
)


@api.exception_handler(ApplicationError)
def application_error(request: HttpRequest, error: ApplicationError) -> HttpResponse:
    return JsonResponse({"error": error.message, **error.extra}, status=error.status)


@api.exception_handler(CoreError)
def core_error(request: HttpRequest, error: CoreError) -> HttpResponse:
    return JsonResponse({"error": str(error)}, status=422)


@api.exception_handler(ValidationError)
def validation_error(request: HttpRequest, error: ValidationError) -> HttpResponse:
    flaws = [{"where": _place(flaw["loc"]), "reason": flaw["msg"]} for flaw in error.errors]
    sentence = "; ".join(f"{flaw['where']}: {flaw['reason']}" for flaw in flaws)
    return JsonResponse({"error": sentence, "flaws": flaws}, status=422)


def _place(location: tuple[str | int, ...]) -> str:
    """The way to what is wrong, as the caller knows it: without the names of our parameters."""
    source, *way = location
    known = way[1:] if source == "body" else way
    return ".".join(str(part) for part in known) or str(source)


@api.exception_handler(HttpError)
def http_error(request: HttpRequest, error: HttpError) -> HttpResponse:
    return JsonResponse({"error": str(error)}, status=error.status_code)


@api.exception_handler(Http404)
def not_found(request: HttpRequest, error: Http404) -> HttpResponse:
    return JsonResponse({"error": _("There is no such thing here.")}, status=404)


@api.exception_handler(RequestDataTooBig)
def too_big(request: HttpRequest, error: RequestDataTooBig) -> HttpResponse:
    return JsonResponse({"error": request_too_big()}, status=413)


for operations in (accounts, prompts, rollouts, specs, judging, rewards, bundles):
    api.add_router("/projects/{slug}", operations.router)
# What a trainer asks for with nothing but an address and a token.
api.add_router("", bundles.trainer_router)
