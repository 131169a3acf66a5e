"""Where a person can go inside a project, in the order of the flow."""

from __future__ import annotations

from dataclasses import dataclass

from django.urls import reverse
from django.utils.translation import gettext as _

from apps.accounts import access
from apps.accounts.access import ProjectRequest
from apps.accounts.models import Role
from apps.studio.selectors import Step, steps_of

# Each step: the page that lists it, and the key that goes there.
PAGES = {
    "prompts": ("prompts:list", "g p"),
    "specs": ("specs:list", "g s"),
    "rollouts": ("rollouts:list", "g t"),
    "runs": ("judging:runs", "g r"),
    "rewards": ("rewards:runs", "g w"),
    "bundles": ("bundles:list", "g b"),
}


@dataclass(frozen=True)
class NavItem:
    """A line of the navigation; `step` is None beside the flow."""

    label: str
    address: str
    key: str
    current: bool
    step: Step | None = None


def items_for(request: ProjectRequest) -> list[NavItem]:
    """What the person may open; who only votes sees no step that is not theirs."""
    slug = request.project.slug
    here = request.path
    overview = reverse("studio:overview", args=[slug])
    items = [NavItem(_("Overview"), overview, "g v", here == overview)]
    if request.roles & access.READERS:
        for step in steps_of(request.project):
            name, key = PAGES[step.key]
            address = reverse(name, args=[slug])
            items.append(NavItem(step.label, address, key, here.startswith(address), step))
        audit = reverse("studio:audit", args=[slug])
        items.append(NavItem(_("Audit"), audit, "g a", here.startswith(audit)))
    if Role.ADMIN in request.roles or request.roles & access.READERS:
        settings = reverse("accounts:settings", args=[slug])
        items.append(NavItem(_("Settings"), settings, "g e", here.startswith(settings)))
    return items
