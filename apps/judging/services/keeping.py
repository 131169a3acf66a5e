"""Answers into rows: every attempt as a call, every usable or final answer as a verdict."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import fields
from typing import Any, NamedTuple, cast

from apps.calls.services import Asker, store_calls
from apps.judging.models import CellState, JudgeRun
from apps.judging.services.inbox import Answer
from apps.judging.services.judges import Judge
from apps.judging.services.storing import VerdictRow, insert_verdicts
from rubricstudio.core.parsing import GlobalScore, Judgement
from rubricstudio.core.types import FailureCause
from rubricstudio.llm.client import OF_THE_ENDPOINT, Answered, CallRecord

NOBODY_ANSWERED = OF_THE_ENDPOINT | {FailureCause.CANCELLED}
"""Causes that say nothing about the cell: it stays open, for when the run goes on."""


def leaves_open(asked: Answered) -> bool:
    """Whether the cell has to be asked again by this run."""
    return asked.failure in NOBODY_ANSWERED


def store_answers(
    *, run: JudgeRun, judge: Judge, answers: Sequence[Answer], held: Collection[int]
) -> int:
    """Store calls and verdicts; how many verdicts were new. Call it inside a transaction.

    Of shards that are not `held` any more the calls are stored alone: somebody else judges there.
    """
    calls = _store_attempts(run, judge, answers)
    rows = [
        row_of(one, calls.get(place))
        for place, one in enumerate(answers)
        if one.key.shard_id in held and not leaves_open(one.asked)
    ]
    return insert_verdicts(run_id=run.pk, rows=rows)


class _Attempt(NamedTuple):
    """A call of an answer; what was read from it where it is the last one."""

    place: int
    asker: Asker
    record: CallRecord
    parsed: dict[str, Any] | None


def _store_attempts(run: JudgeRun, judge: Judge, answers: Sequence[Answer]) -> dict[int, int]:
    """The id of the last attempt of each answer that has any, by its place."""
    criteria, overall = (
        client.asker(project=run.project, job_id=run.job_id)
        for client in (judge.criteria, judge.overall)
    )
    attempts: list[_Attempt] = []
    for place, one in enumerate(answers):
        asker = overall if one.item.criterion is None else criteria
        attempts += _attempts(place, asker, one.asked)
    ids = store_calls(
        [one.record for one in attempts],
        asker=[one.asker for one in attempts],
        parsed=[one.parsed for one in attempts],
    )
    return dict(zip((one.place for one in attempts), ids, strict=True))


def _attempts(place: int, asker: Asker, asked: Answered) -> Iterable[_Attempt]:
    for record in asked.calls[:-1]:
        yield _Attempt(place, asker, record, None)
    for record in asked.calls[-1:]:
        yield _Attempt(place, asker, record, _parsed(asked))


def _parsed(asked: Answered) -> dict[str, Any] | None:
    """What was read from the last answer, or why nothing was."""
    if asked.unscored is not None:
        return {"unscored": asked.unscored.value, "detail": asked.detail}
    if asked.value is None:
        return None
    return {one.name: getattr(asked.value, one.name) for one in fields(asked.value)}


def row_of(answer: Answer, call_id: int | None) -> VerdictRow:
    """The verdict of an answer: scored, unscored with its reason or failed with its cause."""
    asked, cell = answer.asked, answer.key.cell
    if asked.failure is not None:
        return VerdictRow.failed(cell, asked.failure, call_id)
    if asked.unscored is not None:
        return VerdictRow.unscored(cell, asked.unscored, call_id)
    said = _said(cast(Judgement | GlobalScore, asked.value))
    return VerdictRow(
        *cell,
        state=CellState.SCORED.value,
        answer=said.answer,
        score=said.score,
        evidence=_storable(said.evidence),
        flags=json.dumps(asked.flags),
        call_id=call_id,
    )


class _Said(NamedTuple):
    answer: str
    score: float
    evidence: str


def _said(value: Judgement | GlobalScore) -> _Said:
    if isinstance(value, Judgement):
        return _Said(value.answer, value.score, value.evidence)
    return _Said(f"{value.score:g}", value.score, value.assessment)


def _storable(text: str) -> str:
    """PostgreSQL's text holds neither NUL nor half a surrogate pair; the raw answer is kept."""
    return text.replace("\0", "\N{REPLACEMENT CHARACTER}").encode("utf-8", "replace").decode()
