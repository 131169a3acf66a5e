"""What others write through this app: runs and their verdicts, check runs and their outcomes."""

from apps.judging.services.carrying import Carried, judge_shard
from apps.judging.services.checks import carry_checks, run_checks, start_checks
from apps.judging.services.endings import counts_of
from apps.judging.services.entering import BY_HAND, EnteredVerdict, enter_verdicts
from apps.judging.services.explaining import ExplainedCall, explain_verdict
from apps.judging.services.runs import StartedRun, start_child_run, start_run
from apps.judging.services.shards import requeue_lost_shards, take_for_queue
from apps.judging.services.stopping import cancel_run, pause_run, resume_run
from apps.judging.services.telling import (
    ToldOutcome,
    ToldVerdict,
    final_text,
    kind_of,
    tell_outcome,
    tell_verdict,
)

__all__ = [
    "BY_HAND",
    "Carried",
    "EnteredVerdict",
    "ExplainedCall",
    "StartedRun",
    "ToldOutcome",
    "ToldVerdict",
    "cancel_run",
    "carry_checks",
    "counts_of",
    "enter_verdicts",
    "explain_verdict",
    "final_text",
    "judge_shard",
    "kind_of",
    "pause_run",
    "requeue_lost_shards",
    "resume_run",
    "run_checks",
    "start_checks",
    "start_child_run",
    "start_run",
    "take_for_queue",
    "tell_outcome",
    "tell_verdict",
]
