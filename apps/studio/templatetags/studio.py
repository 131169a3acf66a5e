"""Small parts of pages that need a computation."""

from __future__ import annotations

import re
from datetime import date, datetime
from typing import Any

from django import template
from django.template import Context
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.timesince import timesince
from django.utils.translation import gettext as _

from apps.studio import words
from apps.studio.navigation import items_for, open_jobs_of, settings_item

register = template.Library()
SECONDS_A_MINUTE = 60
DAYS_A_WEEK = 7


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


@register.filter
def day_words(day: date) -> str:
    """Today, yesterday, a weekday of the last week, else the date."""
    past = (timezone.localdate() - day).days
    if past in (0, 1):
        return _("Today") if past == 0 else _("Yesterday")
    return date_format(day, "l" if past < DAYS_A_WEEK else "DATE_FORMAT")


@register.inclusion_tag("components/project_nav.html", takes_context=True)
def project_nav(context: Context) -> dict[str, Any]:
    """The steps of the project as navigation; needs a request that was admitted to a project."""
    request = context["request"]
    return {"items": items_for(request)}


@register.inclusion_tag("components/nav_item.html", takes_context=True)
def project_settings_item(context: Context) -> dict[str, Any]:
    """The settings of the project as a line of the navigation."""
    item = settings_item(context["request"])
    return vars(item) if item else {}


@register.simple_tag(takes_context=True)
def open_jobs(context: Context) -> int:
    """How many jobs are not done yet, of the projects that the person may see."""
    return open_jobs_of(context["request"])


@register.filter
def initials(name: object) -> str:
    """At most two signs for a person: the first of the first and last part of their name."""
    parts = [part for part in re.split(r"[\s._@-]+", str(name)) if part]
    chosen = parts[:1] + parts[1:][-1:]
    return "".join(part[0] for part in chosen).upper()


@register.filter
def keys_of(key: str) -> list[str]:
    """The keys of a data-key as they stand on a keyboard."""
    names = {"Control": "Ctrl", "ArrowLeft": "←", "ArrowRight": "→", "Escape": "Esc"}
    return [names.get(one, one) for one in re.split(r"[ +]", key)]


@register.inclusion_tag("components/verdict.html")
def verdict(
    state: str,
    *,
    answer: str = "",
    score: float | None = None,
    reason: str = "",
    stale: bool = False,
    bare: bool = False,
    kind: str = "",
) -> dict[str, Any]:
    """A verdict as a chip; `state` is scored, unscored, failed, queued or running.

    A score between the ends of its scale is drawn as a part; `bare` shows the shape alone; `kind`
    is the shape of a scale that does not end at 1, or that says what is not wanted.
    """
    kind = kind or verdict_kind(state, answer, score)
    word = _verdict_word(kind, answer, score, reason)
    label = _("%(word)s (of an older text)") % {"word": word} if stale else word
    return {"kind": kind, "word": word, "label": label, "stale": stale, "bare": bare}


def verdict_kind(state: str, answer: str, score: float | None) -> str:
    """The shape: yes, part, no, unscored, failed or queued."""
    if state != "scored":
        return state if state in ("unscored", "failed") else "queued"
    if answer in ("yes", "part", "no"):
        return answer
    if score is None:
        return "unscored"
    return "yes" if score >= 1 else "no" if score <= 0 else "part"


def _verdict_word(kind: str, answer: str, score: float | None, reason: str) -> str:
    words = {"yes": _("Yes"), "part": _("Part"), "no": _("No"), "queued": _("Queued")}
    if kind in ("unscored", "failed"):
        state = _("Unscored") if kind == "unscored" else _("Failed")
        return f"{state}: {reason_words(reason)}" if reason else state
    if answer not in words and score is not None:
        return answer or f"{score:g}"
    return words[answer] if answer in words else words[kind]


@register.filter
def reason_words(reason: str) -> str:
    """An unscored reason or failure cause as people read it."""
    return reason.replace("_", " ")


@register.filter
def bucket_class(bucket: str) -> str:
    """The class that colours a bucket; names beyond the four of the house are general."""
    known = ("accuracy", "composition", "safety")
    return f"bucket-{bucket}" if bucket in known else "bucket-general"


@register.filter
def of(share: float, whole: int) -> str:
    """A share of a width, for drawings."""
    return f"{max(0.0, min(1.0, share)) * whole:.1f}"


register.filter(words.thousands)
register.filter(words.percent)


@register.filter
def fixed(value: float | None, digits: int = 3) -> str:
    """A number with a fixed count of decimals; nothing known -> a dash."""
    return "–" if value is None else f"{value:.{digits}f}".replace("-", "\N{MINUS SIGN}")


@register.filter
def signed(value: float | None, digits: int = 3) -> str:
    """A number with its sign; nothing known -> a dash, and 0 has none."""
    if value is None:
        return "–"
    shown = f"{value:+.{digits}f}"
    return shown.replace("-", "\N{MINUS SIGN}") if float(shown) else f"{0:.{digits}f}"
