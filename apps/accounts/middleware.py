"""Two rules for every response: nothing runs that we did not ship, nobody passes undeclared."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import ImproperlyConfigured, PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase

from apps.accounts import access
from apps.accounts.gate import Refusal, admit

GetResponse = Callable[[HttpRequest], HttpResponseBase]

CONTENT_SECURITY_POLICY = "; ".join(
    [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "font-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
    ]
)
PERMISSIONS_POLICY = "camera=(), microphone=(), geolocation=(), payment=(), usb=()"


class ContentSecurityPolicyMiddleware:
    """Only our own files run, style and connect; nobody frames us."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        response.headers["Content-Security-Policy"] = CONTENT_SECURITY_POLICY
        response.headers["Permissions-Policy"] = PERMISSIONS_POLICY
        response.headers["Cross-Origin-Resource-Policy"] = "same-origin"
        return response


class AccessPolicyMiddleware:
    """Enforces the policy that a view declares; a view without one is a programming error."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self.get_response(request)

    def process_view(
        self,
        request: HttpRequest,
        view: Callable[..., Any],
        arguments: tuple[Any, ...],
        keywords: dict[str, Any],
    ) -> HttpResponse | None:
        if "\0" in request.path:  # no name in the database can hold one
            raise Http404
        policy = access.policy_of(view, request.method or "GET")
        if policy is None:
            raise ImproperlyConfigured(
                f"{request.path} declares no access policy; decorate its view with one of "
                "apps.accounts.access."
            )
        refusal = admit(request, policy, keywords)
        if refusal is None:
            return None
        return _refuse_call(refusal) if policy.is_api else _refuse_page(request, refusal)


def _refuse_call(refusal: Refusal) -> HttpResponse:
    headers = {"WWW-Authenticate": "Bearer"} if refusal.status == 401 else {}
    return JsonResponse({"error": refusal.message}, status=refusal.status, headers=headers)


def _refuse_page(request: HttpRequest, refusal: Refusal) -> HttpResponse:
    if refusal.status == 401:
        return redirect_to_login(request.get_full_path())
    if refusal.status == 404:
        raise Http404(refusal.message)
    raise PermissionDenied(refusal.message)
