"""How people come in: name and password, a sign-in link, an invitation; and out again."""

from __future__ import annotations

from typing import cast

from django.contrib.auth import login
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.views import LoginView, LogoutView
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from apps.accounts import access, selectors, services
from apps.accounts.forms import RegistrationForm, SignInForm
from apps.accounts.models import Invitation, Role, User
from apps.accounts.views.language import speak_to
from apps.activity.errors import ApplicationError, BadInput, Conflict

BACKEND = "django.contrib.auth.backends.ModelBackend"
GONE = 410


class _SignIn(LoginView):
    template_name = "accounts/sign_in.html"
    authentication_form = SignInForm
    redirect_authenticated_user = True

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        return speak_to(form.get_user(), super().form_valid(form))

    def form_invalid(self, form: AuthenticationForm) -> HttpResponse:
        page = super().form_invalid(form)
        if isinstance(form, SignInForm) and form.too_soon:
            page.status_code = form.too_soon.status
            page.headers["Retry-After"] = str(form.too_soon.seconds)
        return page


sign_in = access.public(_SignIn.as_view())
sign_out = access.public(LogoutView.as_view())


@access.public
@never_cache
@require_http_methods(["GET", "POST"])
def sign_in_link(request: HttpRequest, token: str) -> HttpResponse:
    """Looking at the link (a preview, a scanner of mails) spends nothing; the button does."""
    template = "accounts/sign_in_link.html"
    if request.method == "GET":
        problem = "" if selectors.sign_in_link_is_open(token) else services.LINK_IS_SPENT
        return render(request, template, {"problem": problem}, status=GONE if problem else 200)
    try:
        user = services.use_sign_in_link(token=token)
    except Conflict as error:
        return render(request, template, {"problem": error.message}, status=GONE)
    login(request, user, backend=BACKEND)
    return speak_to(user, redirect("studio:home"))


@access.public
@never_cache
@require_http_methods(["GET", "POST"])
def invitation(request: HttpRequest, token: str) -> HttpResponse:
    """Join a project: as who is signed in, or as a new person."""
    found = selectors.open_invitations(token).first()
    if found is None:
        return _invitation_page(request, problem=str(services.INVITATION_IS_SPENT))
    if request.method == "GET":
        return _invitation_page(request, found, form=RegistrationForm())
    if request.user.is_authenticated:
        return _join(request, token, found)
    return _register(request, token, found)


def _join(request: HttpRequest, token: str, found: Invitation) -> HttpResponse:
    try:
        services.accept_invitation(token=token, user=cast(User, request.user))
    except ApplicationError as error:
        return _invitation_page(request, problem=error.message)
    return redirect("studio:home")


def _register(request: HttpRequest, token: str, found: Invitation) -> HttpResponse:
    form = RegistrationForm(request.POST)
    if not form.is_valid():
        return _invitation_page(request, found, form=form)
    try:
        user = services.register_and_accept(token=token, **form.cleaned_data)
    except BadInput as error:
        form.add_error(None, error.message)
        return _invitation_page(request, found, form=form)
    except Conflict as error:
        return _invitation_page(request, problem=error.message)
    login(request, user, backend=BACKEND)
    return speak_to(user, redirect("studio:home"))


def _invitation_page(
    request: HttpRequest,
    found: Invitation | None = None,
    *,
    form: RegistrationForm | None = None,
    problem: str = "",
) -> HttpResponse:
    roles = [Role(role).label for role in found.roles] if found else []
    context = {"invitation": found, "form": form, "problem": problem, "roles": roles}
    return render(request, "accounts/invitation.html", context, status=GONE if problem else 200)
