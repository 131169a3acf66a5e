"""Reads of runs, their progress, their cells and their verdicts."""

from apps.judging.selectors.cells import (
    JUDGED,
    Cell,
    OpenCell,
    chain_of,
    failed_cells,
    open_cells,
)
from apps.judging.selectors.checks import (
    CheckReport,
    Response,
    inputs_sha256,
    native_checkers,
    newest_specs,
    report_of,
    responses,
    rollouts_of,
)
from apps.judging.selectors.progress import Progress, finished_cells, progress_of
from apps.judging.selectors.runs import get_run, newest_run, next_shard, runs_of
from apps.judging.selectors.verdicts import (
    attempts_of,
    list_verdicts,
    readable_verdicts,
    verdicts_of,
)

__all__ = [
    "JUDGED",
    "Cell",
    "CheckReport",
    "OpenCell",
    "Progress",
    "Response",
    "attempts_of",
    "chain_of",
    "failed_cells",
    "finished_cells",
    "get_run",
    "inputs_sha256",
    "list_verdicts",
    "native_checkers",
    "newest_run",
    "newest_specs",
    "next_shard",
    "open_cells",
    "progress_of",
    "readable_verdicts",
    "report_of",
    "responses",
    "rollouts_of",
    "runs_of",
    "verdicts_of",
]
