"""Drawings of a run, as numbers for SVG: pure, and small enough to be drawn by the server."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from apps.judging.selectors.pace import Pace

CHART: Final = (400.0, 108.0)


class Tick(NamedTuple):
    """A line across the chart, with its number."""

    y: float
    label: str


@dataclass(frozen=True)
class PaceChart:
    """Calls a second over time. `stop` is where the run was stopped, if it was."""

    points: str
    ticks: list[Tick]
    begin: datetime
    end: datetime
    stop: float | None
    rows: list[tuple[datetime, float]]


def pace_chart(pace: Pace, *, stopped: datetime | None = None) -> PaceChart:
    """The line of calls a second, and the same as rows of a table, a few of them."""
    width, height = CHART
    rates = [count / pace.seconds for count in pace.counts]
    top = nice_top(max(rates))
    step = width / max(1, len(rates) - 1)
    points = (f"{at * step:.1f},{height * (1 - rate / top):.1f}" for at, rate in enumerate(rates))
    seconds = (pace.end - pace.begin).total_seconds()
    at = (stopped - pace.begin).total_seconds() / seconds * width if stopped else None
    return PaceChart(
        points=" ".join(points),
        ticks=[Tick(height * (1 - share), f"{top * share:g}") for share in (1, 0.5, 0)],
        begin=pace.begin,
        end=pace.end,
        stop=round(at, 1) if at is not None and 0 <= at <= width else None,
        rows=list(_rows(pace, rates)),
    )


def _rows(pace: Pace, rates: list[float]) -> Iterable[tuple[datetime, float]]:
    every = max(1, math.ceil(len(rates) / 12))
    for at in range(0, len(rates), every):
        some = rates[at : at + every]
        yield pace.begin + timedelta(seconds=at * pace.seconds), sum(some) / len(some)


def nice_top(largest: float) -> float:
    """The least of 1, 2, 5 times a power of ten that is not below the largest value."""
    if largest <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(largest))
    return next(step * power for step in (1, 2, 5, 10) if step * power >= largest)
