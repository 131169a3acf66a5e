"""People and projects of the whole installation, for who administers it."""

from __future__ import annotations

from typing import Any, cast

from django.contrib import messages
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from apps.accounts import access, links, selectors, services
from apps.accounts.forms import UserForm
from apps.accounts.models import Project, User
from apps.activity.confirming import Confirmation, ask_for_name
from apps.activity.errors import BadInput
from apps.activity.listing import Filter, listing

UNUSABLE = 422
FRAME = "accounts/administration.html"


def _named(rows: QuerySet[Any], text: str) -> QuerySet[Any]:
    return rows.filter(Q(username__icontains=text) | Q(display_name__icontains=text))


def _in_state(rows: QuerySet[Any], state: str) -> QuerySet[Any]:
    wanted = {
        "active": {"is_active": True},
        "off": {"is_active": False},
        "admin": {"is_superuser": True},
    }
    return rows.filter(**wanted[state])


def _called(rows: QuerySet[Any], text: str) -> QuerySet[Any]:
    return rows.filter(Q(slug__icontains=text) | Q(name__icontains=text))


def _standing(rows: QuerySet[Any], state: str) -> QuerySet[Any]:
    open_ones = Q(archived_at__isnull=True, deleted_at__isnull=True)
    archived = Q(archived_at__isnull=False, deleted_at__isnull=True)
    return rows.filter(
        {"open": open_ones, "archived": archived, "deleted": Q(deleted_at__isnull=False)}[state]
    )


USER_FILTERS = (
    Filter(
        "state",
        gettext_lazy("State"),
        _in_state,
        choices=[
            ("active", gettext_lazy("Active")),
            ("off", gettext_lazy("Switched off")),
            ("admin", gettext_lazy("Administrators")),
        ],
    ),
    Filter("q", gettext_lazy("Name"), _named),
)
PROJECT_FILTERS = (
    Filter(
        "state",
        gettext_lazy("State"),
        _standing,
        choices=[
            ("open", gettext_lazy("Open")),
            ("archived", gettext_lazy("Archived")),
            ("deleted", gettext_lazy("Deleted")),
        ],
    ),
    Filter("q", gettext_lazy("Name"), _called),
)


@access.site_admin
@require_safe
def users(request: HttpRequest) -> HttpResponse:
    """Everybody who may come in, or could once."""
    found = listing(request, selectors.people(), filters=USER_FILTERS, key="username")
    return render(request, "accounts/users.html", {"found": found})


@access.site_admin
@never_cache
@require_http_methods(["GET", "POST"])
def new_user(request: HttpRequest) -> HttpResponse:
    """Create a person; the page that answers shows their sign-in link, once."""
    form = UserForm(request.POST or None)
    if request.method == "GET" or not form.is_valid():
        status = 200 if request.method == "GET" else UNUSABLE
        return render(request, "accounts/new_user.html", {"form": form}, status=status)
    try:
        user = services.create_user(**form.cleaned_data, actor=_actor(request))
    except BadInput as error:
        form.add_error(None, error.message)
        return render(request, "accounts/new_user.html", {"form": form}, status=UNUSABLE)
    return _user_page(request, user, link=_link_for(request, user))


@access.site_admin
@require_safe
def user(request: HttpRequest, person: int) -> HttpResponse:
    """One person: where they work, and what an administrator can do for them."""
    return _user_page(request, get_object_or_404(User, pk=person))


@access.site_admin
@never_cache
@require_POST
def user_link(request: HttpRequest, person: int) -> HttpResponse:
    """A sign-in link to pass on, shown once."""
    found = get_object_or_404(User, pk=person)
    return _user_page(request, found, link=_link_for(request, found))


@access.site_admin
@require_POST
def deactivate_user(request: HttpRequest, person: int) -> HttpResponse:
    """Switch a person off; the toast undoes it."""
    found = get_object_or_404(User, pk=person)
    services.deactivate_user(user=found, actor=_actor(request))
    undo = reverse("accounts:reactivate_user", args=[found.pk])
    messages.success(request, _("%(user)s is switched off.") % {"user": found}, extra_tags=undo)
    return redirect("accounts:user", person=found.pk)


@access.site_admin
@require_POST
def reactivate_user(request: HttpRequest, person: int) -> HttpResponse:
    """Let a person come in again."""
    found = get_object_or_404(User, pk=person)
    services.reactivate_user(user=found, actor=_actor(request))
    messages.success(request, _("%(user)s can come in again.") % {"user": found})
    return redirect("accounts:user", person=found.pk)


@access.site_admin
@require_http_methods(["GET", "POST"])
def make_site_admin(request: HttpRequest, person: int) -> HttpResponse:
    """Give a person everything: their user name is typed first."""
    found = get_object_or_404(User, pk=person)
    refused = ask_for_name(request, _confirmation(found), frame=FRAME)
    if refused is not None:
        return refused
    services.make_site_admin(user=found, actor=_actor(request))
    messages.success(request, _("%(user)s administers the installation.") % {"user": found})
    return redirect("accounts:user", person=found.pk)


@access.site_admin
@require_POST
def end_site_admin(request: HttpRequest, person: int) -> HttpResponse:
    """Take the administration of the installation away; it can be given again."""
    found = get_object_or_404(User, pk=person)
    services.end_site_admin(user=found, actor=_actor(request))
    messages.success(
        request, _("%(user)s does not administer the installation any more.") % {"user": found}
    )
    return redirect("accounts:user", person=found.pk)


@access.site_admin
@require_safe
def all_projects(request: HttpRequest) -> HttpResponse:
    """Every project, also those that are archived, and what is left of deleted ones."""
    projects = selectors.all_projects()
    found = listing(request, projects, filters=PROJECT_FILTERS, key="slug")
    context = {"found": found, "deletions": selectors.deletions_of(found.items)}
    return render(request, "accounts/all_projects.html", context)


def _actor(request: HttpRequest) -> User:
    return cast(User, request.user)


def _link_for(request: HttpRequest, found: User) -> str:
    created = services.create_sign_in_link(user=found, actor=_actor(request))
    return links.sign_in_url(created.token)


def _confirmation(found: User) -> Confirmation:
    return Confirmation(
        title=_("Make an administrator"),
        sentence=_(
            "%(user)s will see and change every project, every person and the keys of the model "
            "servers."
        )
        % {"user": found},
        expected=found.username,
        act=_("Make an administrator"),
        back=reverse("accounts:user", args=[found.pk]),
        counts=[(_("Projects of the installation"), Project.objects.count())],
    )


def _user_page(request: HttpRequest, found: User, *, link: str = "") -> HttpResponse:
    context = {"person": found, "places": selectors.places_of(found), "link": link}
    return render(request, "accounts/user.html", context)
