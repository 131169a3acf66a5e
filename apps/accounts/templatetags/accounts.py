"""Parts of the pages of this app that need a computation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django import template
from django.forms import BoundField
from django.template import Context
from django.urls import reverse
from django.utils import timezone
from django.utils.timesince import timeuntil
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _

from apps.accounts import access
from apps.accounts.models import Role
from apps.activity.selectors import draft_of

register = template.Library()

# Each tab of a project's settings: its page, its name, who sees it. Later apps own some of them.
TABS = (
    ("accounts:settings", _("General"), access.READERS),
    ("accounts:members", _("Members"), access.READERS),
    ("accounts:tokens", _("API tokens"), access.ADMINS),
    ("calls:models", _("Models"), access.READERS),
    ("studio:danger", _("Danger zone"), access.ADMINS),
)


ADMINISTRATION = (
    ("accounts:users", _("Users")),
    ("accounts:all_projects", _("Projects")),
    ("calls:installation", _("Models")),
)


@dataclass(frozen=True)
class Tab:
    """A page of several that belong together."""

    label: Any
    address: str
    current: bool


@register.inclusion_tag("accounts/_tabs.html", takes_context=True)
def settings_tabs(context: Context) -> dict[str, Any]:
    """The settings of the project that the person may see, each a page of its own."""
    request = context["request"]
    addresses = [
        (label, reverse(name, args=[request.project.slug]))
        for name, label, roles in TABS
        if request.roles & roles
    ]
    return _tabs(_now("Settings"), addresses, request.path)


@register.inclusion_tag("accounts/_tabs.html", takes_context=True)
def administration_tabs(context: Context) -> dict[str, Any]:
    """The pages for who administers the installation."""
    addresses = [(label, reverse(name)) for name, label in ADMINISTRATION]
    return _tabs(_now("Administration"), addresses, context["request"].path)


def _tabs(label: str, addresses: list[tuple[Any, str]], path: str) -> dict[str, Any]:
    """One address may begin with another, so the longest that fits is the current one."""
    here = max((one for _label, one in addresses if path.startswith(one)), key=len, default="")
    tabs = [Tab(words, address, address == here) for words, address in addresses]
    return {"label": label, "tabs": tabs}


@register.inclusion_tag("components/draft.html", takes_context=True)
def draft(context: Context, key: str) -> dict[str, Any]:
    """How the draft of a form is; stands inside the <form data-draft="KEY"> of the same key.

    The page needs static/js/drafts.js, and a request that was admitted to a project.
    """
    request = context["request"]
    found = draft_of(request.user, request.project, key).only("version").first()
    return {"request": request, "key": key, "version": found.version if found else 0}


@register.inclusion_tag("components/when.html")
def until(moment: datetime) -> dict[str, Any]:
    """How long there is until then, or that it is over; the date and time in UTC on hover."""
    now = timezone.now()
    words = _now("in %(span)s") % {"span": timeuntil(moment, now, depth=1)}
    return {"moment": moment, "words": words if moment > now else _now("over")}


@register.filter
def role_labels(roles: list[str]) -> str:
    """Role names as people read them."""
    return ", ".join(str(Role(role).label) for role in roles)


@register.filter
def get(values: Mapping[Any, Any], key: Any) -> Any:
    """What a dictionary holds under a key that only the template knows."""
    return values.get(key)


@register.filter
def shown_value(field: BoundField) -> str:
    """What a field holds, in words: the label of a choice, yes or no, a dash for nothing."""
    value = field.value()
    if isinstance(value, bool):
        return _now("yes") if value else _now("no")
    choices = dict(getattr(field.field, "choices", ()))
    return str(choices.get(value, value)) or "–"
