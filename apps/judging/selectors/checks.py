"""Reads for check runs: what is to be checked, and what came of it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from django.db.models import Count, QuerySet

from apps.accounts.models import Project
from apps.judging.models import CheckOutcome, CheckRun
from apps.rollouts.models import Rollout
from apps.specs.models import Checker, Spec

Result = CheckOutcome.Result


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
    """A hash of the specs and the rollouts that a check run would cover now."""
    digest = hashlib.sha256()
    specs = newest_specs(project).values_list("pk", flat=True)
    rollouts = rollouts_of(project).order_by("pk").values_list("pk", flat=True)
    for kind, pks in (("specs", specs), ("rollouts", rollouts)):
        digest.update(kind.encode())
        for pk in pks.iterator():
            digest.update(b" %d" % pk)
    return digest.hexdigest()


def native_checkers(specs: Iterable[int]) -> QuerySet[Checker]:
    """The checkers of some specs that are data, with their constraints."""
    found = Checker.objects.filter(constraint__spec__in=specs, origin=Checker.Origin.NATIVE)
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


def report_of(run: CheckRun) -> CheckReport:
    rows = CheckOutcome.objects.filter(run=run).values_list("result").annotate(Count("pk"))
    counts = dict(rows)
    return CheckReport(
        run,
        passed=counts.get(Result.PASSED, 0),
        failed=counts.get(Result.FAILED, 0),
        unavailable=counts.get(Result.UNAVAILABLE, 0),
    )
