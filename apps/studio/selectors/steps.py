"""The steps of the flow in one project: how much each holds, and what waits for a person.

One statement, for every page under a project asks it: counters and partial indexes, no scan.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from django.db.models import Count, IntegerField, OuterRef, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from apps.accounts.models import Project, ProjectCounter, User
from apps.accounts.selectors import projects_seen_by
from apps.activity.models import Job
from apps.activity.selectors import jobs_of
from apps.judging.models import JudgeRun
from apps.specs.models import Spec
from apps.studio.words import thousands

# Numbers are given out once and rows never vanish, so the last number is the count.
COUNTERS = ("prompt", "spec", "rollout", "run", "reward_run", "bundle")

MOST_REVIEWS = 99
"""More are not counted: the frame of every page asks, and 10,000 may wait."""

OPEN_JOBS = (Job.State.QUEUED, Job.State.RUNNING, Job.State.PAUSED)

READY, UNDER_WAY, WAITS, NOT_STARTED = "ready", "underway", "waits", "none"


@dataclass(frozen=True)
class Step:
    """A step of the flow: its name, the number it shows, its state, and what it waits for."""

    key: str
    count: int
    state: str
    waits: str = ""

    @property
    def label(self) -> str:
        return step_label(self.key)

    @property
    def state_label(self) -> str:
        return {
            READY: _("ready"),
            UNDER_WAY: _("under way"),
            WAITS: _("waits for a person"),
            NOT_STARTED: _("not started"),
        }[self.state]

    @property
    def short(self) -> str:
        """What the navigation shows beside the name."""
        return self.waits or thousands(self.count)


def step_label(key: str) -> str:
    return {
        "prompts": _("Prompts"),
        "specs": _("Specs"),
        "rollouts": _("Rollouts"),
        "runs": _("Runs"),
        "rewards": _("Rewards"),
        "bundles": _("Bundles"),
    }[key]


@dataclass(frozen=True)
class Standing:
    """Where a project stands: its steps in the order of the flow, and the jobs under way.

    `open_jobs` counts those of every project that the person may see.
    """

    steps: list[Step]
    open_jobs: int


def standing(project: Project, user: User) -> Standing:
    """What the frame of every page of a project shows, in one statement."""
    row = _numbers(project, open_jobs=_count(open_jobs_of(user)))
    return Standing(steps_from(row), row["open_jobs"])


def count_open_jobs(user: User) -> int:
    """How many jobs of the projects that the person may see are not done yet."""
    return open_jobs_of(user).count()


def open_jobs_of(user: User) -> QuerySet[Job]:
    """The jobs that are not done yet, of the projects that the person may see."""
    return jobs_of(projects_seen_by(user)).filter(state__in=OPEN_JOBS)


def steps_from(row: Mapping[str, int]) -> list[Step]:
    """The six steps in the order of the flow, from the counts of a project."""
    paused, open_runs, reviews = row["paused"], row["open_runs"], row["reviews"]
    return [
        Step("prompts", row["prompt"], READY if row["prompt"] else NOT_STARTED),
        Step(
            "specs",
            row["spec"],
            _state(row["spec"], waits=reviews, open=row["spec"] < row["prompt"]),
            ngettext("%s review", "%s reviews", reviews) % _shown(reviews) if reviews else "",
        ),
        Step("rollouts", row["rollout"], READY if row["rollout"] else NOT_STARTED),
        Step(
            "runs",
            row["run"],
            _state(row["run"], waits=paused, open=open_runs),
            ngettext("%s paused", "%s paused", paused) % thousands(paused) if paused else "",
        ),
        Step("rewards", row["reward_run"], READY if row["reward_run"] else NOT_STARTED),
        Step("bundles", row["bundle"], READY if row["bundle"] else NOT_STARTED),
    ]


def _shown(reviews: int) -> str:
    return f"{MOST_REVIEWS}+" if reviews > MOST_REVIEWS else str(reviews)


def _state(count: int, *, waits: int, open: int | bool) -> str:
    if waits:
        return WAITS
    if open and count:
        return UNDER_WAY
    return READY if count else NOT_STARTED


def _numbers(project: Project, **more: Any) -> dict[str, int]:
    runs = JudgeRun.objects.filter(project=OuterRef("pk"))
    numbers = (
        Project.objects.filter(pk=project.pk)
        .values(
            paused=_count(runs.filter(state="paused")),
            open_runs=_count(runs.filter(state__in=["queued", "running"])),
            reviews=reviews_of(OuterRef("pk")),
            **{kind: _last_number(kind) for kind in COUNTERS},
            **more,
        )
        .get()
    )
    return cast(dict[str, int], numbers)


def reviews_of(project: Any) -> Subquery:
    """How many specs are in review in the project of a row, counted up to one more than
    MOST_REVIEWS."""
    specs = Spec.objects.filter(
        prompt_revision__current_of__project=project, state=Spec.State.IN_REVIEW
    )
    return _CountOfSome(specs.order_by().values("pk")[: MOST_REVIEWS + 1])


class _CountOfSome(Subquery):
    """How many rows a query has that is cut off itself."""

    template = "(SELECT count(*) FROM (%(subquery)s) AS cut)"
    output_field = IntegerField()


def _last_number(kind: str) -> Any:
    last = ProjectCounter.objects.filter(project=OuterRef("pk"), kind=kind).values("last")
    return Coalesce(Subquery(last), Value(0))


def _count(rows: QuerySet[Any]) -> Any:
    counted = rows.order_by().annotate(one=Value(1)).values("one").annotate(n=Count("pk"))
    return Coalesce(Subquery(counted.values("n"), output_field=IntegerField()), Value(0))
