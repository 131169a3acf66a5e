"""Two rules for every response: nothing runs that we did not ship, nobody passes undeclared."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import ImproperlyConfigured, PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.utils.translation import gettext as _
from django_htmx.http import HttpResponseClientRedirect
from django_htmx.middleware import HtmxDetails

from apps.accounts import access
from apps.accounts.gate import Refusal, admit

SAFE = ("GET", "HEAD", "OPTIONS")
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
        return _to_sign_in(request)
    if refusal.status == 404:
        raise Http404(refusal.message)
    raise PermissionDenied(refusal.message)


def _to_sign_in(request: HttpRequest) -> HttpResponse:
    """To the page for signing in, and from there back to the page that the person had open."""
    htmx = HtmxDetails(request)
    is_safe = request.method in SAFE
    if not is_safe and not len(messages.get_messages(request)):  # once, however often it is sent
        messages.warning(
            request,
            _("You were no longer signed in, so nothing was done: look here and send it again."),
        )
    if htmx:  # a part of a page would hold the whole page for signing in
        back = htmx.current_url_abs_path or "/"
        return HttpResponseClientRedirect(redirect_to_login(back).url)
    return redirect_to_login(request.get_full_path() if is_safe else _page_before(request))


def _page_before(request: HttpRequest) -> str:
    """The page of ours that held the form; what a form is sent to may be no page."""
    try:
        before = urlsplit(request.headers.get("Referer", ""))
    except ValueError:  # no address at all
        return "/"
    if before.netloc != request.get_host():
        return "/"
    return f"{before.path}?{before.query}" if before.query else before.path
