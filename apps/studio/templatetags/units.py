"""Quantities as people read them: large numbers, spans of time, parts of a whole."""

from __future__ import annotations

from django import template
from django.utils.translation import gettext as _

register = template.Library()

STEPS = ((1e9, "G"), (1e6, "M"), (1e3, "k"))
MINUTE, HOUR, DAY = 60, 3_600, 86_400
THIN = "\N{NARROW NO-BREAK SPACE}"


@register.filter
def shortened(number: float) -> str:
    """22700000 -> 22.7 M, three figures; below 10,000 as it is."""
    if number < 10_000:
        return f"{number:,.0f}"
    size, letter = next(step for step in STEPS if number >= step[0])
    value = number / size
    return f"{value:.{max(0, 2 - len(str(int(value))) + 1)}f}{THIN}{letter}"


@register.filter
def span_of(seconds: float) -> str:
    """1100 -> 18 min; the largest two units at most."""
    whole = round(seconds)
    if whole < MINUTE:
        return _("%(number)d s") % {"number": whole}
    if whole < HOUR:
        return _("%(number)d min") % {"number": round(whole / MINUTE)}
    if whole < DAY:
        parts = {"hours": whole // HOUR, "minutes": whole % HOUR // MINUTE}
        return _("%(hours)d h %(minutes)d min") % parts
    return _("%(days)d d %(hours)d h") % {"days": whole // DAY, "hours": whole % DAY // HOUR}


@register.filter
def span_between(bounds: tuple[float, float]) -> str:
    """(1080, 1260) -> 18 min to 21 min; one span where both read alike."""
    low, high = (span_of(seconds) for seconds in bounds)
    return low if low == high else _("%(low)s to %(high)s") % {"low": low, "high": high}


@register.filter
def milliseconds(number: float | None) -> str:
    """1912 -> 1.9 s."""
    if number is None:
        return "–"
    return f"{number:.0f} ms" if number < 1_000 else f"{number / 1000:.1f} s"


@register.filter
def share_of(part: float, whole: float) -> float:
    """A part of a whole as a share; 0 of nothing."""
    return part / whole if whole else 0.0
