"""How fast a run goes, and when its last call was, told from its calls."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from django.db import connection
from django.db.models import Max, Min
from django.utils import timezone

from apps.calls.models import Call
from apps.judging.models import JudgeRun

WINDOW: Final = timedelta(minutes=5)
BUCKETS: Final = 72
"""Points of the chart of calls a second."""
SHORTEST_BUCKET: Final = 1.0
TAIL: Final = 0.12
"""How much of the chart may lie behind the last call."""
Z: Final = 1.96

COUNTED: Final = """
SELECT floor(extract(epoch FROM at - %s) / %s)::int AS place, count(*)
FROM calls_call WHERE job_id = %s GROUP BY place
"""


class Rate(NamedTuple):
    """Calls begun in some seconds up to a moment."""

    calls: int
    seconds: float

    @property
    def per_second(self) -> float:
        return self.calls / self.seconds

    def left(self, questions: int) -> tuple[float, float] | None:
        """Seconds for some questions, at the fastest and at the slowest: 95 % of the rate.

        None where too little was asked to tell.
        """
        spread = Z * math.sqrt(self.calls)
        if self.calls - spread <= 0:
            return None
        most, least = (self.calls + sign * spread for sign in (1, -1))
        return questions * self.seconds / most, questions * self.seconds / least


@dataclass(frozen=True)
class Pace:
    """Calls a second over the life of a run: `counts` calls in each stretch of `seconds`."""

    begin: datetime
    seconds: float
    counts: Sequence[int]
    last: datetime
    rate: Rate

    @property
    def end(self) -> datetime:
        return self.begin + timedelta(seconds=self.seconds * len(self.counts))


def pace_of(run: JudgeRun) -> Pace | None:
    """The pace of a run; None before its first call.

    The rate is that of the last five minutes up to now, or up to the last call of a run that
    stands still.
    """
    calls = Call.objects.filter(job_id=run.job_id)
    first, last = calls.aggregate(first=Min("at"), last=Max("at")).values()
    if run.job_id is None or first is None:
        return None
    moving = run.state == JudgeRun.State.RUNNING
    end = timezone.now() if moving else last + (last - first) * TAIL
    seconds = max(SHORTEST_BUCKET, (end - first).total_seconds() / BUCKETS)
    counts = [0] * (int((end - first).total_seconds() // seconds) + 1)
    for place, number in _counted(run, first, seconds):
        counts[min(place, len(counts) - 1)] += number
    until = timezone.now() if moving else last
    since = max(first, until - WINDOW)
    begun = calls.filter(at__gte=since, at__lte=until).count()
    length = max(1.0, (until - since).total_seconds())
    return Pace(first, seconds, counts, last, Rate(begun, length))


def _counted(run: JudgeRun, begin: datetime, seconds: float) -> list[tuple[int, int]]:
    with connection.cursor() as cursor:
        cursor.execute(COUNTED, [begin, seconds, run.job_id])
        return [(int(place), int(number)) for place, number in cursor.fetchall()]
