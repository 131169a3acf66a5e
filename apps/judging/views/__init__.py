"""Pages of runs, of their verdicts, and of checks."""

from apps.judging.views.acts import cancel_run, pause_run, resume_run, retry_failed, start_run
from apps.judging.views.checks import (
    check_run,
    constraint_results,
    list_checks,
    outcome,
    run_checks,
)
from apps.judging.views.runs import list_runs, show_run
from apps.judging.views.verdicts import call_request, list_stale, list_verdicts, verdict

__all__ = [
    "call_request",
    "cancel_run",
    "check_run",
    "constraint_results",
    "list_checks",
    "list_runs",
    "list_stale",
    "list_verdicts",
    "outcome",
    "pause_run",
    "resume_run",
    "retry_failed",
    "run_checks",
    "show_run",
    "start_run",
    "verdict",
]
