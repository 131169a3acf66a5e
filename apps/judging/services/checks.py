"""Check runs: what the checkers of the newest specs say of every rollout.

Checkers that are data run in process, generated ones in the jail of the process. Some prompt
revisions are looked at at a time, so memory does not grow with the project.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from django.db import connection, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from apps.accounts import services as accounts
from apps.accounts.models import Project, User
from apps.activity import services as activity
from apps.activity.errors import ApplicationError, BadInput
from apps.activity.models import Job
from apps.judging import selectors
from apps.judging.models import CheckRun
from apps.judging.selectors import CheckReport
from apps.judging.services.outcomes import Asking, chunks
from apps.prompts.models import PromptRevision
from apps.specs.models import Checker as CheckerRow
from apps.specs.services import NoJail
from rubricstudio.core.checkers.registry import REGISTRY_VERSION
from rubricstudio.core.types import CheckOutcome, Message
from rubricstudio.llm.conversation import last_user_text

TASK = "apps.judging.tasks.run_checks"
REVISIONS_AT_A_TIME = 100
ROWS_AT_A_TIME = 2_000
LONGEST_REASON = 300

INSERT = """
INSERT INTO judging_checkoutcome (run_id, rollout_id, checker_id, result, cause, reason, spans)
SELECT %s, * FROM unnest(
    %s::bigint[], %s::bigint[], %s::text[], %s::text[], %s::text[], %s::jsonb[]
)
ON CONFLICT (run_id, rollout_id, checker_id) DO NOTHING
"""


class OutcomeRow(NamedTuple):
    """One outcome as it is stored; `spans` is JSON text."""

    rollout_id: int
    checker_id: int
    result: str
    cause: str
    reason: str
    spans: str


def start_checks(*, project: Project, requested_by: User | None = None) -> Job:
    """A job that runs the checks; the caller enqueues it. One that waits already is that job.

    Raises BadInput when there is nothing to check.
    """
    _refuse_without_inputs(project)
    waiting = selectors.open_check_jobs(project).filter(state=Job.State.QUEUED).first()
    return waiting or activity.create_job(
        kind=selectors.CHECK_JOB,
        task=TASK,
        arguments={},
        project=project,
        requested_by=requested_by,
    )


def carry_checks(*, job: Job, worker: str) -> None:
    """Carry the job of a check run to its end; nothing happens when somebody else has it."""
    if job.project is None or not activity.start_job(job=job, worker=worker):
        return
    try:
        report = run_checks(
            project=job.project,
            requested_by=job.requested_by,
            beat=lambda done: activity.beat(job=job, done=done),
        )
    except NoJail as error:
        activity.pause_job(job=job, reason=error.message)
        return
    except ApplicationError as error:
        activity.fail_job(job=job, cause="refused", error=error.message)
        return
    if report.run.finished_at is not None:
        activity.finish_job(job=job, result=report.as_dict())


def run_checks(
    *,
    project: Project,
    requested_by: User | None = None,
    beat: Callable[[int], bool] | None = None,
) -> CheckReport:
    """Ask every checker of the newest specs about every rollout of their prompts.

    With the same registry, specs and rollouts as the newest check run this is that run: its
    outcomes are reported again, or completed where it was interrupted. `beat` is told how many
    outcomes there are so far; when it says no, the rest is left for another time. Raises BadInput
    when there is nothing to check, and NoJail when the jail failed; what is stored by then stays.
    """
    run = _run_for(project, selectors.inputs_sha256(project), requested_by)
    if run.finished_at is None and _fill(run, beat):
        run.finished_at = timezone.now()
        run.save(update_fields=["finished_at"])
    return selectors.report_of(run)


def _fill(run: CheckRun, beat: Callable[[int], bool] | None) -> bool:
    """Store all outcomes of a run; false when it was told to stop."""
    done = 0
    specs = selectors.newest_specs(run.project).values_list("pk", "prompt_revision_id")
    for some in chunks(specs.iterator(), REVISIONS_AT_A_TIME):
        for rows in chunks(_outcomes(run.project, dict(some)), ROWS_AT_A_TIME):
            _insert(run, rows)
            done += len(rows)
            if beat is not None and not beat(done):
                return False
    return True


@transaction.atomic
def _run_for(project: Project, inputs: str, requested_by: User | None) -> CheckRun:
    newest = CheckRun.objects.filter(project=project).order_by("-number").first()
    if newest and (newest.inputs_sha256, newest.registry_version) == (inputs, REGISTRY_VERSION):
        return newest
    _refuse_without_inputs(project)
    (number,) = accounts.allocate_numbers(project=project, kind="check_run")
    run = CheckRun.objects.create(
        project=project,
        number=number,
        registry_version=REGISTRY_VERSION,
        inputs_sha256=inputs,
        requested_by=requested_by,
    )
    activity.record(verb="checks.started", target=run, project=project, actor=requested_by)
    return run


def _refuse_without_inputs(project: Project) -> None:
    if not selectors.rollouts_of(project).exists():
        raise BadInput(_("There is no rollout to check: import rollouts first."))
    if not selectors.newest_specs(project).exists():
        raise BadInput(_("No prompt that has rollouts has a spec: make specs first."))


def _outcomes(project: Project, revision_of_spec: dict[int, int]) -> Iterator[OutcomeRow]:
    """All outcomes of some specs, one prompt revision after the other."""
    checkers: dict[int, list[CheckerRow]] = {}
    for row in selectors.checkers_of(revision_of_spec):
        checkers.setdefault(revision_of_spec[row.constraint.spec_id], []).append(row)
    instructions = _instructions(checkers)
    asked = selectors.responses(checkers)
    for revision, responses in groupby(asked, key=lambda one: one.revision_id):
        asking = Asking(project, checkers[revision], instructions.get(revision, ""))
        for response, row, outcome in asking.outcomes(responses):
            yield _row(response.rollout_id, row.pk, outcome)


def _instructions(checkers: Mapping[int, Sequence[CheckerRow]]) -> dict[int, str]:
    """By prompt revision, what its generated checkers take for the prompt."""
    asked = [
        revision
        for revision, rows in checkers.items()
        if any(row.origin == CheckerRow.Origin.GENERATED for row in rows)
    ]
    found = PromptRevision.objects.filter(pk__in=asked).values_list("pk", "messages")
    return {pk: last_user_text([Message.from_dict(one) for one in text]) for pk, text in found}


def _row(rollout_id: int, checker_id: int, outcome: CheckOutcome) -> OutcomeRow:
    return OutcomeRow(
        rollout_id,
        checker_id,
        outcome.result.value,
        outcome.cause.value,
        outcome.reason.replace("\0", "\N{REPLACEMENT CHARACTER}")[:LONGEST_REASON],
        json.dumps(outcome.spans),
    )


def _insert(run: CheckRun, rows: Sequence[OutcomeRow]) -> None:
    columns: list[Any] = [list(column) for column in zip(*rows, strict=True)]
    with connection.cursor() as cursor:
        cursor.execute(INSERT, [run.pk, *columns])
