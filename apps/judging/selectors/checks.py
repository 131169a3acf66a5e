"""Reads for check runs: what is to be checked, and what came of it."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from django.db.models import Count, QuerySet

from apps.accounts import project_settings
from apps.accounts.models import Project
from apps.activity.models import Job
from apps.judging.models import CheckOutcome, CheckRun
from apps.rollouts.models import Rollout
from apps.specs.models import Checker, CheckerRecord, Spec

Result = CheckOutcome.Result
CHECK_JOB = "run_checks"
MOST_AT_ONCE = 2_000
"""Rollouts that are checked while a person waits: a few seconds."""


@dataclass(frozen=True)
class CheckReport:
    """A check run and its outcomes by result."""

    run: CheckRun
    passed: int
    failed: int
    unavailable: int

    @property
    def checks(self) -> int:
        return self.passed + self.failed + self.unavailable

    @property
    def pass_rate(self) -> float | None:
        """The share of the checks that gave an answer; None where none did."""
        answered = self.passed + self.failed
        return self.passed / answered if answered else None

    def as_dict(self) -> dict[str, int]:
        return {
            "checks": self.checks,
            "passed": self.passed,
            "failed": self.failed,
            "unavailable": self.unavailable,
        }


class Response(NamedTuple):
    """What a checker is shown of a rollout: the text of its last assistant turn."""

    rollout_id: int
    revision_id: int
    text: str
    truncated: bool


def newest_specs(project: Project) -> QuerySet[Spec]:
    """The newest spec version of each prompt revision that has rollouts."""
    specs = Spec.objects.filter(
        prompt_revision__prompt__project=project,
        prompt_revision__in=rollouts_of(project).values("prompt_revision"),
    )
    return specs.order_by("prompt_revision", "-version").distinct("prompt_revision")


def rollouts_of(project: Project) -> QuerySet[Rollout]:
    return Rollout.objects.filter(project=project)


def inputs_sha256(project: Project) -> str:
    """A hash of what a check run would depend on now.

    That is the specs and the rollouts, and of generated checkers which ones may count.
    """
    digest = hashlib.sha256()
    held = CheckerRecord.objects.filter(project=project).exclude(quarantine="")
    codes = held.order_by("code_sha256").values_list("code_sha256", flat=True)
    for part in (str(project_settings.load(project).generated_checkers), *codes):
        digest.update(part.encode())
    specs = newest_specs(project).values_list("pk", flat=True)
    rollouts = rollouts_of(project).order_by("pk").values_list("pk", flat=True)
    for kind, pks in (("specs", specs), ("rollouts", rollouts)):
        digest.update(kind.encode())
        for pk in pks.iterator():
            digest.update(b" %d" % pk)
    return digest.hexdigest()


def checkers_of(specs: Iterable[int]) -> QuerySet[Checker]:
    """The checkers of some specs, data and code, with their constraints."""
    found = Checker.objects.filter(constraint__spec__in=specs).defer("validation")
    return found.select_related("constraint").order_by("constraint__spec", "constraint__position")


def responses(revisions: Iterable[int]) -> Iterator[Response]:
    """The responses to some prompt revisions, those of one revision together."""
    rows = (
        Rollout.objects.filter(prompt_revision__in=revisions)
        .order_by("prompt_revision", "pk")
        .values_list("pk", "prompt_revision_id", "messages", "truncated")
    )
    for pk, revision, messages, truncated in rows.iterator(chunk_size=100):
        said = [one["content"] for one in messages if one["role"] == "assistant"]
        yield Response(pk, revision, said[-1] if said else "", truncated)


@dataclass(frozen=True)
class TypeCounts:
    """What the checkers of one constraint type said in a run."""

    type: str
    passed: int
    failed: int
    unavailable: int

    @property
    def checks(self) -> int:
        return self.passed + self.failed + self.unavailable


def check_runs_of(project: Project) -> QuerySet[CheckRun]:
    """The check runs of a project, newest first."""
    runs = CheckRun.objects.filter(project=project).order_by("-number")
    return runs.select_related("requested_by")


def checking_takes_long(project: Project) -> bool:
    """Whether checking is better left to a worker."""
    return rollouts_of(project).values("pk")[: MOST_AT_ONCE + 1].count() > MOST_AT_ONCE


def checks_are_due(project: Project) -> bool:
    """Whether there are checkers, and the newest check run was of other specs or rollouts.

    False where checking takes long, since then no page can wait for the comparison either.
    """
    of_newest = Checker.objects.filter(constraint__spec__in=newest_specs(project).values("pk"))
    if checking_takes_long(project) or not of_newest.exists():
        return False
    newest = check_runs_of(project).first()
    return newest is None or newest.inputs_sha256 != inputs_sha256(project)


def open_check_jobs(project: Project) -> QuerySet[Job]:
    """The jobs that run checks, or wait to."""
    return Job.objects.filter(project=project, kind=CHECK_JOB).exclude(state__in=Job.FINAL)


def check_reports(runs: Sequence[CheckRun]) -> list[CheckReport]:
    """The runs with their outcomes by result, in one query."""
    counts: dict[int, Counter[str]] = {run.pk: Counter() for run in runs}
    rows = CheckOutcome.objects.filter(run__in=runs).values_list("run", "result")
    for pk, result, number in rows.annotate(Count("pk")) if runs else ():
        counts[pk][result] = number
    return [CheckReport(run, *(counts[run.pk][one] for one in Result.values)) for run in runs]


def counts_by_type(run: CheckRun) -> list[TypeCounts]:
    """The outcomes of a run by constraint type, those that fail most first."""
    rows = CheckOutcome.objects.filter(run=run).values_list("checker__constraint__type", "result")
    counts: dict[str, Counter[str]] = {}
    for kind, result, number in rows.annotate(Count("pk")).order_by():
        counts.setdefault(kind, Counter())[result] = number
    found = [
        TypeCounts(kind, *(results[one] for one in Result.values))
        for kind, results in counts.items()
    ]
    return sorted(found, key=lambda one: (-one.failed, one.type))


def list_outcomes(run: CheckRun) -> QuerySet[CheckOutcome]:
    """The outcomes of a run for a list: neither responses nor parameters."""
    found = CheckOutcome.objects.filter(run=run)
    return found.select_related("rollout", "checker__constraint").only(
        "run_id",
        "result",
        "cause",
        "reason",
        "rollout__number",
        "checker__constraint__type",
        "checker__constraint__position",
    )


def outcomes_in(project: Project) -> QuerySet[CheckOutcome]:
    """The outcomes of a project, each with all that its page shows."""
    found = CheckOutcome.objects.filter(run__project=project)
    return found.select_related(
        "run", "rollout__policy", "rollout__prompt_revision__prompt", "checker__constraint__spec"
    ).defer(
        "rollout__columns",
        "rollout__prompt_revision__messages",
        "rollout__prompt_revision__tools",
        "rollout__prompt_revision__columns",
        "rollout__prompt_revision__given",
        "checker__code",
        "checker__constraint__spec__line",
        "checker__constraint__spec__provenance",
    )


def outcomes_of_rollout(run: CheckRun, rollout: Rollout) -> QuerySet[CheckOutcome]:
    """What the checkers said of one rollout, in the order of its constraints."""
    return list_outcomes(run).filter(rollout=rollout).order_by("checker__constraint__position")


def report_of(run: CheckRun) -> CheckReport:
    rows = CheckOutcome.objects.filter(run=run).values_list("result").annotate(Count("pk"))
    counts = dict(rows)
    return CheckReport(
        run,
        passed=counts.get(Result.PASSED, 0),
        failed=counts.get(Result.FAILED, 0),
        unavailable=counts.get(Result.UNAVAILABLE, 0),
    )
