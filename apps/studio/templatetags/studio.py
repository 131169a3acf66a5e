"""Small parts of pages that need a computation."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django import template
from django.utils import timezone
from django.utils.timesince import timesince
from django.utils.translation import gettext as _

register = template.Library()
SECONDS_A_MINUTE = 60


@register.inclusion_tag("components/when.html")
def when(moment: datetime) -> dict[str, Any]:
    """How long ago it was; the date and time in UTC on hover."""
    return {"moment": moment, "words": ago(timezone.now() - moment)}


def ago(span: Any) -> str:
    seconds = int(span.total_seconds())
    if seconds < SECONDS_A_MINUTE:
        return _("%(seconds)d s ago") % {"seconds": max(seconds, 0)}
    now = timezone.now()
    return _("%(span)s ago") % {"span": timesince(now - span, now, depth=1)}
