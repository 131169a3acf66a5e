"""Verdicts into rows, many at a time. A cell that has a row keeps it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from django.db import connection

from apps.judging import selectors
from apps.judging.models import CellState, JudgeRun
from apps.judging.selectors import Cell
from rubricstudio.core.types import FailureCause, UnscoredReason

INSERT = """
INSERT INTO judging_verdict (
    run_id, rollout_id, criterion_id, sample, state, reason, answer, score, evidence, flags,
    call_id, created_at
)
SELECT %s, rollout_id, criterion_id, sample, state, reason, answer, score, evidence, flags,
       call_id, clock_timestamp()
FROM unnest(
    %s::bigint[], %s::bigint[], %s::smallint[], %s::text[], %s::text[], %s::text[], %s::float8[],
    %s::text[], %s::jsonb[], %s::bigint[]
) AS new (
    rollout_id, criterion_id, sample, state, reason, answer, score, evidence, flags, call_id
)
ON CONFLICT (run_id, rollout_id, criterion_id, sample) DO NOTHING
"""


class VerdictRow(NamedTuple):
    """One verdict as it is stored; `flags` is JSON text."""

    rollout_id: int
    criterion_id: int | None
    sample: int
    state: str
    reason: str = ""
    answer: str = ""
    score: float | None = None
    evidence: str = ""
    flags: str = "[]"
    call_id: int | None = None

    @classmethod
    def failed(cls, cell: Cell, cause: FailureCause, call_id: int | None = None) -> VerdictRow:
        return cls(*cell, state=CellState.FAILED.value, reason=cause.value, call_id=call_id)

    @classmethod
    def unscored(cls, cell: Cell, reason: UnscoredReason, call_id: int | None) -> VerdictRow:
        return cls(*cell, state=CellState.UNSCORED.value, reason=reason.value, call_id=call_id)


def insert_verdicts(*, run_id: int, rows: Sequence[VerdictRow]) -> int:
    """Store verdicts; how many were new."""
    if not rows:
        return 0
    columns = [list(column) for column in zip(*rows, strict=True)]
    with connection.cursor() as cursor:
        cursor.execute(INSERT, [run_id, *columns])
        return int(cursor.rowcount)


def fail_open_cells(*, run: JudgeRun, shard_id: int, cause: FailureCause) -> int:
    """Give up what a shard has not asked: every cell of it gets a row; how many."""
    cells = selectors.open_cells(run, shard_id=shard_id)
    rows = [VerdictRow.failed(one.cell, cause) for one in cells]
    return insert_verdicts(run_id=run.pk, rows=rows)
