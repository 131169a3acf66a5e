"""How a run ends: when its last shard has, and only if every cell it expects has its row."""

from __future__ import annotations

from django.utils import timezone
from django.utils.translation import gettext as _

from apps.activity import services as activity
from apps.judging import selectors
from apps.judging.models import JudgeRun, Shard
from apps.judging.selectors import Progress

OPEN_RUN = (JudgeRun.State.QUEUED, JudgeRun.State.RUNNING, JudgeRun.State.PAUSED)
OPEN_SHARD = (Shard.State.QUEUED, Shard.State.RUNNING)


def end_run_when_complete(*, run_id: int) -> bool:
    """Called in the transaction that ended a shard; whether the run is over now.

    The lock lets one ending shard look at a time, so the last of them sees all the others.
    """
    run = JudgeRun.objects.select_for_update(of=("self",), no_key=True).get(pk=run_id)
    if run.state not in OPEN_RUN or run.shards.filter(state__in=OPEN_SHARD).exists():
        return False
    progress = selectors.progress_of(run)
    run.state = JudgeRun.State.DONE
    run.block_cause = run.block_reason = ""
    if progress.final != run.expected:
        run.state = JudgeRun.State.FAILED
        run.block_cause = "miscounted"
        run.block_reason = _(
            "The run expected %(expected)d verdicts and has %(final)d: report this, and start "
            "another run."
        ) % {"expected": run.expected, "final": progress.final}
    run.finished_at = timezone.now()
    run.save(update_fields=["state", "block_cause", "block_reason", "finished_at"])
    end_job(run, progress)
    return True


def end_job(run: JudgeRun, progress: Progress) -> None:
    """The job of a run ends with it."""
    if run.job is None:
        return
    if run.state == JudgeRun.State.FAILED:
        activity.fail_job(job=run.job, cause=run.block_cause, error=run.block_reason)
        return
    # A run whose every cell was given up has never started its job.
    activity.start_job(job=run.job, worker="")
    activity.beat(job=run.job, done=progress.final)
    activity.finish_job(job=run.job, result=counts_of(progress))


def counts_of(progress: Progress) -> dict[str, int]:
    """The numbers that a job, a command and the API report of a run."""
    return {
        "expected": progress.expected,
        "scored": progress.scored,
        "unscored": progress.unscored,
        "failed": progress.failed,
    }
