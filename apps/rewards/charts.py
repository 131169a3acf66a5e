"""Figures of rewards, each with its numbers as a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from django.utils.translation import gettext as _

from apps.rewards.selectors import Bin


class Chart(NamedTuple):
    """A figure for Plotly and the same numbers as a table."""

    figure: dict[str, Any]
    table: dict[str, Any]


def histogram_chart(bins: Sequence[Bin], *, address: str) -> Chart:
    """How the rewards of a run are spread. A bar opens the rollouts in it.

    `address` is the page of the run; a bar adds the ends of its stretch to it.
    """
    names = [f"{one.low:.2f}–{one.high:.2f}" for one in bins]
    bars = {
        "type": "bar",
        "x": [(one.low + one.high) / 2 for one in bins],
        "y": [one.count for one in bins],
        "width": [one.high - one.low for one in bins],
        "customdata": [_rollouts_in(one, address, last=one is bins[-1]) for one in bins],
        "text": names,
        "textposition": "none",
        "hovertemplate": _("%{text}: %{y} rollouts") + "<extra></extra>",
        "marker": {"color": "--part-code", "line": {"color": "--bg", "width": 1}},
    }
    ends = [bins[0].low, bins[-1].high]
    layout = {
        "bargap": 0,
        "xaxis": {"range": ends, "title": {"text": _("reward")}},
        "yaxis": {"title": {"text": _("rollouts")}, "rangemode": "tozero", "tickformat": "d"},
    }
    rows = [[name, one.count] for name, one in zip(names, bins, strict=True)]
    table = {"head": [_("Reward"), _("Rollouts")], "rows": rows}
    return Chart({"data": [bars], "layout": layout}, table)


def _rollouts_in(one: Bin, address: str, *, last: bool) -> str:
    """The list of the rollouts in a stretch; the last one holds its upper end too."""
    below = "" if last else f"&below={one.high:g}"
    return f"{address}?least={one.low:g}{below}#rewards"
