"""When a request cannot be answered: a sentence, as a page or, for the API, as JSON."""

from __future__ import annotations

from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from apps.activity.errors import ApplicationError, request_too_big

API = "/api/"


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    if isinstance(exception, RequestDataTooBig):
        return _answer(request, 413, _("Too large"), request_too_big())
    return _answer(request, 400, _("Not understood"), _("The request cannot be read."))


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    return _answer(request, 403, _("Not allowed"), str(exception))


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    return _answer(request, 404, _("Not found"), _("There is nothing here, or you cannot see it."))


def server_error(request: HttpRequest) -> HttpResponse:
    sentence = _("This went wrong on our side and is in the log. Nothing was half done: repeat it.")
    return _answer(request, 500, _("Something broke"), sentence)


def problem(request: HttpRequest, error: ApplicationError) -> HttpResponse:
    """An act that could not be done, said by the service that refused it."""
    return _answer(request, error.status, _("This cannot be done"), error.message)


def _answer(request: HttpRequest, status: int, heading: str, sentence: str) -> HttpResponse:
    if request.path.startswith(API):
        return JsonResponse({"error": sentence}, status=status)
    context = {"heading": heading, "sentence": sentence}
    return render(request, "errors/error.html", context, status=status)
