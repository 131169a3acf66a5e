"""What the list of runs and the page of one run show, in a fixed number of queries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from time import monotonic
from typing import Final

from django.core.cache import cache
from django.db.models import Count

from apps.activity.models import AuditEvent
from apps.activity.selectors import a_worker_beats
from apps.calls.models import Call
from apps.calls.selectors import Usage, usage
from apps.judging.models import JudgeRun, RunRollout, Verdict
from apps.judging.selectors.pace import Pace, pace_of
from apps.judging.selectors.progress import Progress, progress_of

QUEUE: Final = "judging"
FRESH_SECONDS: Final = 5
REST: Final = 20
"""How old the sums over all calls of a run may be: many look at once, and ask every other second.
What took a second rests for twenty, so that summing up takes a twentieth of a core at most."""


@dataclass(frozen=True)
class RunLine:
    """A run in a list, with its cells by state; those under way are among the queued ones."""

    run: JudgeRun
    scored: int
    unscored: int
    failed: int
    running: int = 0

    @property
    def expected(self) -> int:
        return self.run.expected

    @property
    def queued(self) -> int:
        return self.expected - self.scored - self.unscored - self.failed


@dataclass(frozen=True)
class Spent:
    """What the calls of a run took; `cost` is None where a price is not known."""

    calls: int
    prompt_tokens: int
    completion_tokens: int
    cached_tokens: int
    cost: float | None
    currency: str

    @property
    def prompt_each(self) -> int:
        """Tokens in, a call."""
        return round(self.prompt_tokens / self.calls) if self.calls else 0

    @property
    def completion_each(self) -> int:
        """Tokens out, a call."""
        return round(self.completion_tokens / self.calls) if self.calls else 0

    @property
    def cached_share(self) -> float | None:
        """The share of the prompt tokens that the server had in its cache."""
        return self.cached_tokens / self.prompt_tokens if self.prompt_tokens else None


@dataclass(frozen=True)
class LastFailure:
    """The last call that failed for a cause, and what the server said."""

    at: datetime
    message: str


@dataclass(frozen=True)
class RunReport:
    """A run with everything that its page shows."""

    run: JudgeRun
    progress: Progress
    rollouts: int
    pace: Pace | None
    spent: Spent
    failures: dict[str, LastFailure]
    stopped: AuditEvent | None
    children: list[int]
    worker_beats: bool

    @property
    def is_final(self) -> bool:
        return self.run.finished_at is not None


def run_lines(runs: Sequence[JudgeRun]) -> list[RunLine]:
    """The runs with their counts: from the job of one that is done, else from its verdicts."""
    counts = _counted([run for run in runs if not _told_by_job(run)])
    return [RunLine(run, **(_told_by_job(run) or counts.get(run.pk, _NOTHING))) for run in runs]


_NOTHING: Final = {"scored": 0, "unscored": 0, "failed": 0}


def _told_by_job(run: JudgeRun) -> dict[str, int]:
    result = run.job.result if run.job else {}
    return {name: result[name] for name in _NOTHING} if _NOTHING.keys() <= result.keys() else {}


def _counted(runs: Sequence[JudgeRun]) -> dict[int, dict[str, int]]:
    counts = {run.pk: dict(_NOTHING) for run in runs}
    rows = Verdict.objects.filter(run__in=runs).values_list("run", "state").annotate(Count("pk"))
    for pk, state, number in rows if runs else ():
        counts[pk][state] = number
    for run in runs:
        if run.state == JudgeRun.State.CANCELLED:
            # What it never asked has failed as cancelled.
            counts[run.pk]["failed"] += run.expected - sum(counts[run.pk].values())
    return counts


def report_of_run(run: JudgeRun) -> RunReport:
    """Everything about a run; sums over its calls may be some seconds old while it is open."""
    pace, spent = _sums(run)
    progress = progress_of(run)
    return RunReport(
        run=run,
        progress=progress,
        rollouts=RunRollout.objects.filter(run=run).count(),
        pace=pace,
        spent=spent,
        failures=_last_failures(run) if progress.failed else {},
        stopped=_last_stop(run),
        children=list(run.children.order_by("number").values_list("number", flat=True)),
        worker_beats=run.finished_at is not None or a_worker_beats(QUEUE),
    )


def _sums(run: JudgeRun) -> tuple[Pace | None, Spent]:
    key = f"judging-run-sums-{run.pk}-{run.state}"
    found: tuple[Pace | None, Spent] | None = cache.get(key)
    if found is None:
        begun = monotonic()
        found = pace_of(run), _spent(run)
        cache.set(key, found, max(FRESH_SECONDS, REST * (monotonic() - begun)))
    return found


def _spent(run: JudgeRun) -> Spent:
    rows: list[Usage] = usage(run.project, job=run.job) if run.job else []
    costs = [row.cost for row in rows]
    currencies = {row.currency for row in rows}
    known = [cost for cost in costs if cost is not None]
    one_sum = bool(rows) and len(known) == len(costs) and len(currencies) == 1
    return Spent(
        calls=sum(row.calls for row in rows),
        prompt_tokens=sum(row.prompt_tokens for row in rows),
        completion_tokens=sum(row.completion_tokens for row in rows),
        cached_tokens=sum(row.cached_tokens for row in rows),
        cost=sum(known) if one_sum else None,
        currency=currencies.pop() if one_sum else "",
    )


def _last_failures(run: JudgeRun) -> dict[str, LastFailure]:
    calls = Call.objects.filter(job_id=run.job_id).exclude(error_cause="")
    rows = calls.order_by("error_cause", "-id").distinct("error_cause")
    return {
        cause: LastFailure(at, error)
        for cause, at, error in rows.values_list("error_cause", "at", "error")
    }


def _last_stop(run: JudgeRun) -> AuditEvent | None:
    """Who or what paused or cancelled it last, and when."""
    events = AuditEvent.objects.filter(
        target_type="judging.judgerun",
        target_id=str(run.pk),
        verb__in=["run.paused", "run.cancelled"],
    )
    return events.select_related("actor").first()
