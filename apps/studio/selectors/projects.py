"""What stands in each project, counted without reading the things themselves."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Count, OuterRef

from apps.accounts.models import Project, ProjectCounter
from apps.judging.models import JudgeRun
from apps.studio.selectors.steps import COUNTERS, Step, reviews_of, steps_from

State = JudgeRun.State
OPEN_RUNS = {State.PAUSED: "paused", State.QUEUED: "open_runs", State.RUNNING: "open_runs"}


@dataclass(frozen=True)
class ProjectLine:
    """A project and its flow in short."""

    project: Project
    steps: list[Step]


def project_lines(projects: Sequence[Project]) -> list[ProjectLine]:
    """The flow of each project: three queries, however many there are."""
    counts: dict[int, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    counters = ProjectCounter.objects.filter(project__in=projects, kind__in=COUNTERS)
    for pk, kind, last in counters.values_list("project_id", "kind", "last"):
        counts[pk][kind] = last
    runs = JudgeRun.objects.filter(project__in=projects, state__in=OPEN_RUNS)
    for pk, state, number in runs.values_list("project_id", "state").annotate(n=Count("pk")):
        counts[pk][OPEN_RUNS[State(state)]] += number
    some = Project.objects.filter(pk__in=[project.pk for project in projects]).order_by()
    for pk, number in some.values_list("pk", reviews_of(OuterRef("pk"))):
        counts[pk]["reviews"] = number
    return [ProjectLine(project, steps_from(counts[project.pk])) for project in projects]
