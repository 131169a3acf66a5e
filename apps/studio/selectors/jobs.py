"""Jobs as their page shows them: in words, with where their work is and what may be done."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.urls import reverse

from apps.accounts import access
from apps.accounts.models import Membership, User
from apps.activity.models import Job
from apps.judging.models import JudgeRun
from apps.studio import links, words

State = Job.State
# A run is paused, resumed and cancelled on its own page, where it says what is kept.
JUDGE = "judge"
MAKE_SPECS = "make_specs"
# They find what is left to do by themselves, so that asking again does nothing twice.
REPEATED = frozenset({MAKE_SPECS, "rewards", "run_checks"})
# Where the work of a kind of job can be looked at.
PLACES = {
    "check_prompts": "prompts:list",
    "check_rollouts": "rollouts:list",
    "freeze": "bundles:list",
    "import_prompts": "prompts:list",
    "import_rollouts": "rollouts:list",
    "judge": "judging:runs",
    "rewards": "rewards:runs",
    "run_checks": "judging:checks",
}


@dataclass(frozen=True)
class JobLine:
    """A job in words, the page of its work, and what the person may do with it."""

    job: Job
    kind: str
    address: str
    message: str
    share: float | None
    may_cancel: bool = False
    may_resume: bool = False
    may_repeat: bool = False


def job_lines(jobs: Iterable[Job], user: User) -> list[JobLine]:
    """Two queries more, for any number of jobs: the runs behind them and the person's roles."""
    listed = list(jobs)
    runs = _runs(listed)
    steered = _steered(listed, user)
    return [_line(job, runs, job.project_id in steered) for job in listed]


def _line(job: Job, runs: dict[int, int], may: bool) -> JobLine:
    by_itself = may and job.kind != JUDGE
    return JobLine(
        job=job,
        kind=words.job_kind(job.kind),
        address=_address(job, runs),
        message=job.error or words.job_result(job.result),
        share=min(job.done / job.total, 1.0) if job.total else None,
        may_cancel=by_itself and not job.is_final,
        may_resume=by_itself and job.state == State.PAUSED,
        may_repeat=by_itself
        and job.kind in REPEATED
        and job.state in (State.FAILED, State.CANCELLED),
    )


def _address(job: Job, runs: dict[int, int]) -> str:
    if job.project is None:
        return ""
    slug = job.project.slug
    if job.pk in runs:
        return links.run(slug, runs[job.pk])
    if job.kind == MAKE_SPECS:
        return reverse("specs:making", args=[slug, job.pk])
    return reverse(PLACES[job.kind], args=[slug]) if job.kind in PLACES else ""


def _runs(jobs: Sequence[Job]) -> dict[int, int]:
    """The numbers of the runs that judge jobs carry, by job."""
    judging = [job.pk for job in jobs if job.kind == JUDGE]
    rows = JudgeRun.objects.filter(job__in=judging).values_list("job_id", "number")
    return {job: number for job, number in rows if job is not None}


def _steered(jobs: Sequence[Job], user: User) -> set[int | None]:
    """The projects of the jobs in which the person may steer what goes on."""
    projects = {job.project_id for job in jobs}
    if user.is_superuser:
        return projects
    held = Membership.objects.filter(user=user, role__in=access.AUTHORS, project__in=projects)
    return set(held.values_list("project_id", flat=True))
