"""Reads of verdicts: those that count for a run, a list without payloads, one with its calls."""

from __future__ import annotations

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from apps.activity.errors import BadInput
from apps.calls.models import Call
from apps.judging.models import CellState, JudgeRun, Verdict
from apps.judging.selectors.cells import chain_of

# Attempts of one question are stored together, so their numbers lie close to each other.
NEARBY = 2_000


def verdicts_of(run: JudgeRun) -> QuerySet[Verdict]:
    """The verdicts that count for a run, one a cell, by rollout: a child's before its parents'."""
    cell = ("rollout_id", "criterion_id", "sample")
    chain = chain_of(run)
    found = Verdict.objects.filter(run_id__in=chain)
    if len(chain) == 1:
        return found.order_by(*cell)
    return found.order_by(*cell, "-run_id").distinct(*cell)


def list_verdicts(run: JudgeRun, *, state: str = "") -> QuerySet[Verdict]:
    """The rows of a run for a list: no evidence, no messages. Raises BadInput for the state."""
    if state and state not in CellState.values:
        raise BadInput(
            _("state is %(state)r: use one of %(known)s.")
            % {"state": state, "known": ", ".join(CellState.values)}
        )
    found = Verdict.objects.filter(run=run).select_related("rollout", "criterion")
    listed = found.only(
        "run_id",
        "rollout__number",
        "criterion__key",
        "sample",
        "state",
        "reason",
        "answer",
        "score",
        "flags",
        "created_at",
    )
    return listed.filter(state=state) if state else listed


def readable_verdicts(run: JudgeRun) -> QuerySet[Verdict]:
    """The verdicts of a run and of its parents, each with its rollout and criterion."""
    found = Verdict.objects.filter(run_id__in=chain_of(run))
    return found.select_related("run", "rollout", "criterion").defer("rollout__messages")


def attempts_of(verdict: Verdict) -> list[Call]:
    """Every attempt behind a verdict, the first one first; empty where nothing was asked."""
    if verdict.call_id is None:
        return []
    last = Call.objects.get(pk=verdict.call_id)
    before = Call.objects.filter(
        pk__range=(last.pk - NEARBY, last.pk - 1),
        job_id=last.job_id,
        role=last.role,
        nonce=last.nonce,
        slots=last.slots,
        attempt__lt=last.attempt,
    )
    return [*reversed(before.order_by("-pk")[: last.attempt - 1]), last]
