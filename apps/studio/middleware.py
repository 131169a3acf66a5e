"""A page that a service refuses says why, as the API does (rubricstudio/api.py)."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from apps.activity.errors import ApplicationError
from apps.studio.views import problem


class ProblemMiddleware:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        return problem(request, error) if isinstance(error, ApplicationError) else None
