"""Starting a run, over rollouts or over what another run left failed.

A run pins everything it depends on when it starts: its rollouts, the newest spec version of each,
and the identity of its judge. Its expected number of cells follows from that and never changes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.conf import settings
from django.db import transaction
from django.db.models import Count, Exists, IntegerField, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from apps.accounts import services as accounts
from apps.accounts.models import Project, User
from apps.activity import services as activity
from apps.activity.errors import BadInput, Conflict
from apps.judging.models import JudgeRun, RunRollout, Shard
from apps.judging.selectors import JUDGED, failed_cells
from apps.judging.services.endings import OPEN_RUN
from apps.judging.services.judges import JudgeIdentity, check_same_judge, identity_of
from apps.rollouts.models import Rollout
from apps.specs.models import Criterion, Spec

TASK = "apps.judging.tasks.dispatch_run"
NAMED_AT_MOST = 20
MOST_SAMPLES = 100
FAILED_SCOPE = "failed"
SPECS = Spec.objects.filter(prompt_revision=OuterRef("prompt_revision")).order_by("-version")


class Member(NamedTuple):
    """A rollout of a run, its pinned spec version, and how many cells it brings."""

    rollout_id: int
    spec_id: int
    cells: int


@dataclass(frozen=True)
class StartedRun:
    """A run to enqueue, and a sentence about the rollouts it leaves out (empty: none)."""

    run: JudgeRun
    not_judged: int = 0
    notice: str = ""


@transaction.atomic
def start_run(
    *,
    project: Project,
    rollouts: Sequence[int] | None = None,
    limit: int | None = None,
    requested_by: User | None = None,
    output_mode: str = JudgeRun.OutputMode.EXPLAINED,
    samples: int = 1,
) -> StartedRun:
    """A run over rollouts (numbers; by default all of the project), the caller enqueues its shards.

    `limit` takes the first rollouts by number, those whose spec has criteria before the others.
    Raises BadInput when nothing can be judged.
    """
    _check(rollouts=rollouts, limit=limit, output_mode=output_mode, samples=samples)
    found = _named_rollouts(project, rollouts)
    members = _members(found.filter(Exists(SPECS)), limit=limit, samples=samples)
    lacking = found.exclude(Exists(SPECS))
    # A limit that is reached leaves rollouts out on purpose.
    left_out = 0 if limit is not None and len(members) == limit else lacking.count()
    notice = _notice(lacking, left_out)
    if not members:
        raise BadInput(notice or _("There is no rollout to judge: import rollouts first."))
    run = create_run(
        members,
        project=project,
        identity=identity_of(project=project, output_mode=output_mode),
        output_mode=output_mode,
        samples=samples,
        requested_by=requested_by,
    )
    return StartedRun(run, left_out, notice)


def _check(
    *, rollouts: Sequence[int] | None, limit: int | None, output_mode: str, samples: int
) -> None:
    if rollouts is not None and not rollouts:
        raise BadInput(_("The list of rollouts is empty: name some, or leave it out for all."))
    if limit is not None and limit < 1:
        raise BadInput(_("limit is %(limit)d: use 1 or more.") % {"limit": limit})
    if not 1 <= samples <= MOST_SAMPLES:
        raise BadInput(
            _("samples is %(samples)d: use 1 to %(most)d.")
            % {"samples": samples, "most": MOST_SAMPLES}
        )
    if output_mode not in JudgeRun.OutputMode.values:
        raise BadInput(
            _("The output mode is %(mode)r: use one of %(known)s.")
            % {"mode": output_mode, "known": ", ".join(JudgeRun.OutputMode.values)}
        )


def _named_rollouts(project: Project, numbers: Sequence[int] | None) -> QuerySet[Rollout]:
    found = Rollout.objects.filter(project=project)
    if numbers is None:
        return found
    named = found.filter(number__in=numbers)
    missing = set(numbers) - set(named.values_list("number", flat=True))
    if missing:
        raise BadInput(
            _("The project has no rollout %(numbers)s.") % {"numbers": _named(sorted(missing))}
        )
    return named


def _members(judged: QuerySet[Rollout], *, limit: int | None, samples: int) -> list[Member]:
    """The rollouts taken, those of one prompt next to each other for the server's prefix cache."""
    criteria = Criterion.objects.filter(JUDGED, spec=OuterRef("newest_spec")).order_by()
    number = criteria.values("spec").annotate(number=Count("pk")).values("number")
    counted = judged.annotate(
        newest_spec=Subquery(SPECS.values("pk")[:1]),
        criteria=Coalesce(Subquery(number, output_field=IntegerField()), 0),
    ).values_list("criteria", "number", "pk", "newest_spec", "prompt_revision_id")
    first = sorted(counted, key=lambda row: (row[0] == 0, row[1]))[:limit]
    first.sort(key=lambda row: (row[4], row[1]))
    return [Member(pk, spec, (criteria + 1) * samples) for criteria, _n, pk, spec, _p in first]


def _notice(lacking: QuerySet[Rollout], left_out: int) -> str:
    if not left_out:
        return ""
    numbers = lacking.order_by("number").values_list("number", flat=True)[: NAMED_AT_MOST + 1]
    return ngettext(
        "%(count)d rollout is not judged: its prompt has no spec (rollout %(numbers)s). Make "
        "specs first.",
        "%(count)d rollouts are not judged: their prompts have no spec (rollouts %(numbers)s). "
        "Make specs first.",
        left_out,
    ) % {"count": left_out, "numbers": _named(list(numbers))}


def _named(numbers: Sequence[int]) -> str:
    dots = ["…"] if len(numbers) > NAMED_AT_MOST else []
    return ", ".join([*map(str, numbers[:NAMED_AT_MOST]), *dots])


@transaction.atomic
def start_child_run(
    *, parent: JudgeRun, scope: str = FAILED_SCOPE, requested_by: User | None = None
) -> JudgeRun | None:
    """A run that asks again what failed in a run that is over; None when nothing has.

    It continues the newest run of the line, so that no cell is asked twice. Raises Conflict when
    that one is still open, and Blocked when the judge is another one now.
    """
    if scope != FAILED_SCOPE:
        raise BadInput(_("The scope is %(scope)r: use failed.") % {"scope": scope})
    newest = _newest_of_line(parent)
    if newest.state in OPEN_RUN:
        raise Conflict(
            _("Run %(number)d is not over yet: resume it, or cancel it first.")
            % {"number": newest.number}
        )
    cells = failed_cells(newest)
    if not cells:
        return None
    check_same_judge(newest)
    return create_run(
        _members_of_cells(cells),
        project=newest.project,
        identity=JudgeIdentity(newest.judge, newest.judge_sha256),
        output_mode=newest.output_mode,
        samples=newest.samples,
        requested_by=requested_by,
        parent=newest,
    )


def _newest_of_line(run: JudgeRun) -> JudgeRun:
    child = run.children.order_by("-number").first()
    return run if child is None else _newest_of_line(child)


def _members_of_cells(cells: Iterable[Any]) -> list[Member]:
    members: dict[int, Member] = {}
    for cell in cells:
        before = members.get(cell.rollout_id, Member(cell.rollout_id, cell.spec_id, 0))
        members[cell.rollout_id] = before._replace(cells=before.cells + 1)
    return list(members.values())


def create_run(
    members: Sequence[Member],
    *,
    project: Project,
    identity: JudgeIdentity,
    requested_by: User | None,
    parent: JudgeRun | None = None,
    **fields: Any,
) -> JudgeRun:
    """A queued run over these members, with its shards and its job, which nobody has enqueued."""
    (number,) = accounts.allocate_numbers(project=project, kind="run")
    expected = sum(member.cells for member in members)
    run = JudgeRun.objects.create(
        project=project,
        number=number,
        parent=parent,
        scope=FAILED_SCOPE if parent else "all",
        judge=identity.whole,
        judge_sha256=identity.sha256,
        expected=expected,
        requested_by=requested_by,
        **fields,
    )
    run.job = activity.create_job(
        kind="judge",
        task=TASK,
        arguments={"run_id": run.pk},
        project=project,
        requested_by=requested_by,
        total=expected,
    )
    run.save(update_fields=["job"])
    _create_shards(run, members)
    activity.record(
        verb="run.started",
        target=run,
        project=project,
        actor=requested_by,
        detail={"rollouts": len(members), "expected": expected},
    )
    return run


def _create_shards(run: JudgeRun, members: Sequence[Member]) -> None:
    size = settings.SHARD_ROLLOUTS
    parts = [members[start : start + size] for start in range(0, len(members), size)]
    shards = Shard.objects.bulk_create(
        Shard(run=run, position=position, cells=sum(member.cells for member in part))
        for position, part in enumerate(parts)
    )
    rows = (
        RunRollout(run=run, shard=shard, rollout_id=member.rollout_id, spec_id=member.spec_id)
        for shard, part in zip(shards, parts, strict=True)
        for member in part
    )
    RunRollout.objects.bulk_create(rows, batch_size=5_000)
