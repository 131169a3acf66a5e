"""Where a person can go inside a project, in the order of the flow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext as _

from apps.accounts import access
from apps.accounts.access import ProjectRequest
from apps.accounts.models import User
from apps.studio import links
from apps.studio.selectors import Standing, Step, count_open_jobs, standing

# The keys that go to each step.
KEYS = {
    "prompts": "g p",
    "specs": "g s",
    "rollouts": "g t",
    "runs": "g r",
    "rewards": "g w",
    "bundles": "g b",
}


@dataclass(frozen=True)
class NavItem:
    """A line of the navigation; `step` is None beside the flow, `apart` leaves a gap before it."""

    label: str
    address: str
    key: str
    current: bool
    step: Step | None = None
    apart: bool = False


def items_for(request: ProjectRequest) -> list[NavItem]:
    """What the person may open; who only votes sees no step that is not theirs."""
    slug = request.project.slug
    here = request.path
    overview = reverse("studio:overview", args=[slug])
    items = [NavItem(_("Overview"), overview, "g v", here == overview)]
    if not request.roles & access.READERS:
        return items
    for step in standing_of(request).steps:
        address = links.step(slug, step.key)
        current, first = here.startswith(address), step.key == "prompts"
        items.append(NavItem(step.label, address, KEYS[step.key], current, step, first))
    audit = reverse("studio:audit", args=[slug])
    items.append(NavItem(_("Audit"), audit, "g a", here.startswith(audit), apart=True))
    return items


def settings_item(request: ProjectRequest) -> NavItem | None:
    """The settings of the project, for who may see them."""
    if not request.roles & access.READERS:
        return None
    address = reverse("accounts:settings", args=[request.project.slug])
    return NavItem(_("Settings"), address, "g e", request.path.startswith(address))


def standing_of(request: ProjectRequest) -> Standing:
    """Where the project of the request stands, asked once a request."""
    found: Standing | None = getattr(request, "standing", None)
    if found is None:
        found = standing(request.project, request.user)
        request.standing = found  # type: ignore[attr-defined]
    return found


def open_jobs_of(request: HttpRequest) -> int:
    """How many jobs of the person's projects are not done, for the navigation."""
    if hasattr(request, "project") and cast(ProjectRequest, request).roles & access.READERS:
        return standing_of(cast(ProjectRequest, request)).open_jobs
    return count_open_jobs(cast(User, request.user))
