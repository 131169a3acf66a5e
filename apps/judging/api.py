"""Runs and verdicts over HTTP. A run that is started or resumed here is carried by the workers."""

from __future__ import annotations

from functools import partial
from typing import Any

from django.db import transaction
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from ninja import Router, Status

from apps.accounts import access
from apps.accounts.access import ProjectRequest
from apps.accounts.models import Scope
from apps.activity.errors import BadInput
from apps.activity.paging import page
from apps.judging import selectors, services, tasks
from apps.judging.models import JudgeRun
from apps.judging.schemas import (
    CallOut,
    ProgressOut,
    RunDetailOut,
    RunIn,
    RunOut,
    RunsOut,
    VerdictDetailOut,
    VerdictOut,
    VerdictsOut,
)
from apps.judging.services import StartedRun

router = Router(tags=["runs"])

reads = access.api(scope=Scope.RUNS_READ, roles=access.READERS)
writes = access.api(scope=Scope.RUNS_WRITE, roles=access.AUTHORS)


@router.post("/runs", response={201: RunDetailOut})
@writes
def start_run(request: ProjectRequest, slug: str, wish: RunIn) -> Status[RunDetailOut]:
    """Start judging in the background; the reply names the run to look at."""
    with transaction.atomic():
        start = _continued if wish.scope == "failed" else _started
        started = start(request, wish)
        transaction.on_commit(partial(tasks.dispatch_run.delay, started.run.pk))
    return Status(201, _detail(started.run, notice=started.notice))


def _started(request: ProjectRequest, wish: RunIn) -> StartedRun:
    if wish.parent is not None:
        raise BadInput(_("parent goes with the scope failed: leave it out, or set the scope."))
    return services.start_run(
        project=request.project,
        rollouts=wish.rollouts,
        limit=wish.limit,
        output_mode=wish.output_mode,
        samples=wish.samples,
        requested_by=request.actor,
    )


def _continued(request: ProjectRequest, wish: RunIn) -> StartedRun:
    if wish.parent is None:
        raise BadInput(_("The scope failed needs parent, the number of the run to continue."))
    parent = selectors.get_run(request.project, wish.parent)
    child = services.start_child_run(parent=parent, requested_by=request.actor)
    if child is None:
        raise BadInput(_("Run %(number)d has no failed cells.") % {"number": parent.number})
    return StartedRun(child)


@router.get("/runs", response=RunsOut)
@reads
def list_runs(request: ProjectRequest, slug: str, after: str = "", limit: int = 100) -> RunsOut:
    """The runs of the project, newest first."""
    found = selectors.runs_of(request.project)
    shown = page(found, after=after, limit=limit, key="-number")
    return RunsOut(items=[RunOut.of(run) for run in shown.items], next=shown.next)


@router.get("/runs/{int:number}", response=RunDetailOut)
@reads
def show_run(request: ProjectRequest, slug: str, number: int) -> RunDetailOut:
    """One run with its progress; scored + unscored + failed + queued + running = expected."""
    return _detail(_run(request, number))


@router.post("/runs/{int:number}/pause", response=RunDetailOut)
@writes
def pause_run(request: ProjectRequest, slug: str, number: int) -> RunDetailOut:
    """Ask nothing more until it is resumed; what is under way is still stored."""
    run = _run(request, number)
    services.pause_run(run=run, actor=request.actor)
    return _detail(run)


@router.post("/runs/{int:number}/resume", response=RunDetailOut)
@writes
def resume_run(request: ProjectRequest, slug: str, number: int) -> RunDetailOut:
    """Let a paused run go on with the cells that have no verdict."""
    run = _run(request, number)
    with transaction.atomic():
        services.resume_run(run=run, actor=request.actor)
        transaction.on_commit(partial(tasks.dispatch_run.delay, run.pk))
    return _detail(run)


@router.post("/runs/{int:number}/cancel", response=RunDetailOut)
@writes
def cancel_run(request: ProjectRequest, slug: str, number: int) -> RunDetailOut:
    """End it; its verdicts are kept, and its open cells have failed as cancelled."""
    run = _run(request, number)
    services.cancel_run(run=run, actor=request.actor)
    return _detail(run)


@router.get("/runs/{int:number}/verdicts", response=VerdictsOut)
@reads
def list_verdicts(
    request: ProjectRequest,
    slug: str,
    number: int,
    state: str = "",
    after: str = "",
    limit: int = 100,
) -> VerdictsOut:
    """The verdicts of the run itself, in the order they came; `state` chooses among them."""
    found = selectors.list_verdicts(_run(request, number), state=state)
    shown = page(found, after=after, limit=limit)
    items = [VerdictOut.of(verdict, run=number) for verdict in shown.items]
    return VerdictsOut(items=items, next=shown.next)


@router.get("/runs/{int:number}/verdicts/{int:pk}", response=VerdictDetailOut)
@reads
def show_verdict(request: ProjectRequest, slug: str, number: int, pk: int) -> VerdictDetailOut:
    """One verdict with every call behind it, its request made again byte for byte."""
    found = selectors.readable_verdicts(_run(request, number))
    verdict = get_object_or_404(found, pk=pk)
    calls = [CallOut.of(one) for one in services.explain_verdict(verdict)]
    return VerdictDetailOut.of(
        verdict, run=verdict.run.number, evidence=verdict.evidence, calls=calls
    )


def _run(request: ProjectRequest, number: int) -> JudgeRun:
    return get_object_or_404(selectors.runs_of(request.project), number=number)


def _detail(run: JudgeRun, **more: Any) -> RunDetailOut:
    return RunDetailOut.of(
        run,
        judge=run.judge,
        judge_sha256=run.judge_sha256,
        progress=ProgressOut.of(selectors.progress_of(run)),
        **more,
    )
