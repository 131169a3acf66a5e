"""The jump palette: type a page, a project, a thing by its number, or words of a prompt."""

from __future__ import annotations

from typing import cast

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from apps.accounts import access
from apps.accounts.models import Membership, Project, User
from apps.accounts.selectors import projects_seen_by
from apps.studio import links, selectors
from apps.studio.selectors import Found

LONGEST = 200


@access.signed_in
@require_safe
@vary_on_headers("HX-Request")
def jump(request: HttpRequest) -> HttpResponse:
    """What the text may mean; htmx gets the list alone."""
    user = cast(User, request.user)
    text = request.GET.get("q", "").replace("\0", "").strip()[:LONGEST]
    read = readable(user)
    here = next((one for one in read if one.slug == request.GET.get("project")), None)
    found = found_for(text, user=user, here=here, read=read)
    context = {"text": text, "found": found, "here": here}
    template = "_jump.html" if "HX-Request" in request.headers else "jump.html"
    return render(request, f"studio/{template}", context)


def readable(user: User) -> list[Project]:
    """The projects in which the person may open things, by name."""
    seen = projects_seen_by(user).only("name", "slug")
    if not user.is_superuser:
        held = Membership.objects.filter(user=user, role__in=access.READERS)
        seen = seen.filter(pk__in=held.values("project"))
    return list(seen)


def found_for(text: str, *, user: User, here: Project | None, read: list[Project]) -> list[Found]:
    """Things by number first, then pages, projects and prompts."""
    if not text:
        return pages("", here)
    return [
        *selectors.numbered(text, [here] if here else read),
        *pages(text, here),
        *selectors.projects_named(text, user),
        *(selectors.prompts_with(text, here) if here else []),
    ]


def pages(text: str, here: Project | None) -> list[Found]:
    """The pages whose name holds the text, those of the project one is in first."""
    return [one for one in _pages(here) if text.casefold() in f"{one.label} {one.hint}".casefold()]


def _pages(here: Project | None) -> list[Found]:
    own: list[Found] = []
    if here is not None:
        slug, name = here.slug, here.name
        own = [
            Found(_("Overview"), reverse("studio:overview", args=[slug]), name),
            *(Found(selectors.step_label(key), links.step(slug, key), name) for key in links.STEPS),
            Found(_("Constraint types"), reverse("specs:statistics", args=[slug]), name),
            Found(_("Audit"), reverse("studio:audit", args=[slug]), name),
            Found(_("Settings"), reverse("accounts:settings", args=[slug]), name),
        ]
    return [
        *own,
        Found(_("Home"), reverse("studio:home")),
        Found(_("Projects"), reverse("studio:projects")),
        Found(_("Jobs"), reverse("studio:jobs")),
        Found(_("Health"), reverse("studio:health")),
        Found(_("Help"), reverse("studio:help")),
        Found(_("My account"), reverse("accounts:account")),
    ]
