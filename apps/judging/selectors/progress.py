"""How far a run is. The parts always sum to what is expected."""

from __future__ import annotations

from dataclasses import dataclass, field

from django.db.models import Count, Sum

from apps.judging.models import CellState, JudgeRun, RunRollout, Shard, Verdict
from rubricstudio.core.types import FailureCause


@dataclass(frozen=True)
class Progress:
    """Cells by state; open ones are queued or running, and of a cancelled run they have failed.

    `repeated` counts calls that were asked again because a worker was lost.
    """

    expected: int
    scored: int = 0
    unscored_by_reason: dict[str, int] = field(default_factory=dict)
    failed_by_cause: dict[str, int] = field(default_factory=dict)
    queued: int = 0
    running: int = 0
    repeated: int = 0

    @property
    def unscored(self) -> int:
        return sum(self.unscored_by_reason.values())

    @property
    def failed(self) -> int:
        return sum(self.failed_by_cause.values())

    @property
    def final(self) -> int:
        return self.scored + self.unscored + self.failed


def progress_of(run: JudgeRun) -> Progress:
    """Count the verdicts of the run; what has no row is told from its shards."""
    counts = _counts(run)
    unscored, failed = counts[CellState.UNSCORED], counts[CellState.FAILED]
    scored = sum(counts[CellState.SCORED].values())
    still_open = run.expected - scored - sum(unscored.values()) - sum(failed.values())
    running = min(_running_cells(run), still_open)
    if run.state == JudgeRun.State.CANCELLED and still_open:
        cause = FailureCause.CANCELLED.value
        failed = {**failed, cause: failed.get(cause, 0) + still_open}
        still_open = running = 0
    return Progress(
        expected=run.expected,
        scored=scored,
        unscored_by_reason=unscored,
        failed_by_cause=failed,
        queued=still_open - running,
        running=running,
        repeated=run.shards.aggregate(total=Sum("repeated"))["total"] or 0,
    )


def _counts(run: JudgeRun) -> dict[str, dict[str, int]]:
    counts: dict[str, dict[str, int]] = {state.value: {} for state in CellState}
    rows = Verdict.objects.filter(run=run).values_list("state", "reason").annotate(Count("pk"))
    for state, reason, number in rows:
        counts[state][reason] = number
    return counts


def _running_cells(run: JudgeRun) -> int:
    """Cells of shards that a worker has, without those that have a row by now."""
    held = run.shards.filter(state=Shard.State.RUNNING)
    rollouts = RunRollout.objects.filter(shard__in=held).values("rollout")
    cells: int = held.aggregate(total=Sum("cells"))["total"] or 0
    return max(0, cells - Verdict.objects.filter(run=run, rollout__in=rollouts).count())


def finished_cells(run: JudgeRun) -> int:
    """Cells of the shards that have ended: cheap, where a bar needs no more."""
    ended = run.shards.filter(state__in=[Shard.State.DONE, Shard.State.FAILED])
    return ended.aggregate(total=Sum("cells"))["total"] or 0
