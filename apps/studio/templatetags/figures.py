"""Numbers that are drawn: the bar of a run, and charts with the same numbers as a table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from django import template
from django.utils.translation import gettext as _

register = template.Library()


class Counted(Protocol):
    """The cells of a run by state; they sum to `expected`."""

    @property
    def expected(self) -> int: ...
    @property
    def scored(self) -> int: ...
    @property
    def unscored(self) -> int: ...
    @property
    def failed(self) -> int: ...
    @property
    def running(self) -> int: ...
    @property
    def queued(self) -> int: ...


@register.inclusion_tag("components/run_bar.html")
def run_bar(progress: Counted, *, rule: str = "", small: bool = False) -> dict[str, Any]:
    """The cells of a run as one bar, with its five numbers and their sum.

    `rule` says how the expected number comes about; `small` leaves the numbers to the label.
    """
    parts = [
        _part("scored", _("scored"), progress.scored, progress.expected),
        _part("unscored", _("unscored"), progress.unscored, progress.expected, _("final")),
        _part("failed", _("failed"), progress.failed, progress.expected, _("may run again")),
        _part("running", _("running"), progress.running, progress.expected),
        _part("queued", _("queued"), progress.queued, progress.expected),
    ]
    return {"parts": parts, "expected": progress.expected, "rule": rule, "small": small}


def _part(kind: str, label: str, count: int, whole: int, note: str = "") -> dict[str, Any]:
    share = count / whole if whole else 0.0
    return {
        "kind": kind,
        "label": label,
        "count": count,
        "share": share,
        "width": f"{100 * share:.3f}%",
        "note": note if count else "",
    }


@register.inclusion_tag("components/chart.html")
def chart(
    figure: Mapping[str, Any],
    *,
    name: str,
    title: str,
    table: Mapping[str, Any],
    note: str = "",
    size: str = "",
) -> dict[str, Any]:
    """A Plotly figure with its numbers as a table: `head` (labels) and `rows` (lists of cells).

    A colour that is the name of a token ("--part-code") follows the theme. `customdata` of a trace
    may hold addresses: a click opens them. `size` is low, tall or empty. The page loads the
    scripts with {% chart_scripts %}.
    """
    return {
        "figure": figure,
        "data_id": f"chart-{name}",
        "title": title,
        "table": table,
        "note": note,
        "size": size,
    }


@register.inclusion_tag("components/chart_scripts.html")
def chart_scripts() -> dict[str, Any]:
    """What a page with charts loads, in its block `scripts`."""
    return {}
