"""The cells of a run: (criteria + 1 global) x rollouts x samples, and which of them are open.

A cell is a question of a run: one criterion of one rollout, or its global score, asked once per
sample. It has a row (a verdict) or it is open. A child run has only the cells that its parents
left failed or unasked.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from django.db import connection
from django.db.models import Q

from apps.judging.models import JudgeRun

# The scales that a judge of a single response answers; see rubricstudio.core.parsing.
JUDGED_SCALES = ("ternary", "binary", "levels", "points")
JUDGED = Q(source="judge", scale__in=JUDGED_SCALES)

CELLS = """
SELECT member.rollout_id, member.spec_id, asked.id AS criterion_id, repeat.sample
FROM judging_runrollout AS member
CROSS JOIN LATERAL (
    SELECT id, position FROM specs_criterion
    WHERE spec_id = member.spec_id AND source = 'judge' AND scale = ANY(%(scales)s)
    UNION ALL SELECT NULL, NULL
) AS asked
CROSS JOIN generate_series(0, %(samples)s - 1) AS repeat(sample)
WHERE {members} AND NOT EXISTS (
    SELECT FROM judging_verdict AS verdict
    WHERE verdict.run_id = ANY(%(runs)s)
      AND verdict.rollout_id = member.rollout_id
      AND verdict.criterion_id IS NOT DISTINCT FROM asked.id
      AND verdict.sample = repeat.sample
      AND (verdict.run_id = %(run)s OR verdict.state <> 'failed')
)
ORDER BY member.id, asked.position NULLS LAST, repeat.sample
"""


class Cell(NamedTuple):
    """One question of a run; `criterion_id` is None for the global score."""

    rollout_id: int
    criterion_id: int | None
    sample: int


class OpenCell(NamedTuple):
    """A cell without a row, and the spec version that is pinned for its rollout."""

    rollout_id: int
    spec_id: int
    criterion_id: int | None
    sample: int

    @property
    def cell(self) -> Cell:
        return Cell(self.rollout_id, self.criterion_id, self.sample)


def chain_of(run: JudgeRun) -> list[int]:
    """The run and its parents, newest first; a child is always newer than its parent."""
    chain = [run.pk]
    parent = run.parent
    while parent is not None:
        chain.append(parent.pk)
        parent = parent.parent
    return chain


def open_cells(run: JudgeRun, *, shard_id: int) -> list[OpenCell]:
    """What a shard still has to ask, the cells of one response next to each other."""
    return _cells(run, members="member.shard_id = %(shard)s", own=run.pk, shard=shard_id)


def failed_cells(run: JudgeRun) -> list[OpenCell]:
    """What a child of this run would ask: cells that failed, or were never asked."""
    root = chain_of(run)[-1]
    return _cells(run, members="member.run_id = %(root)s", own=None, root=root)


def _cells(run: JudgeRun, *, members: str, own: int | None, **place: int) -> list[OpenCell]:
    parameters: dict[str, Any] = {
        "runs": chain_of(run),
        "run": own,
        "samples": run.samples,
        "scales": list(JUDGED_SCALES),
        **place,
    }
    with connection.cursor() as cursor:
        cursor.execute(CELLS.format(members=members), parameters)
        return [OpenCell(*row) for row in cursor.fetchall()]
