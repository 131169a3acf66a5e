"""What stands in each project, counted without reading the things themselves."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Count

from apps.accounts.models import Project, ProjectCounter
from apps.judging.models import JudgeRun
from apps.specs.models import Spec
from apps.studio.selectors.steps import COUNTERS, Step, steps_from

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
    of_prompt = "prompt_revision__current_of__project"
    reviews = Spec.objects.filter(state=Spec.State.IN_REVIEW, **{f"{of_prompt}__in": projects})
    for pk, number in reviews.values_list(of_prompt).annotate(n=Count("pk")):
        counts[pk]["reviews"] = number
    return [ProjectLine(project, steps_from(counts[project.pk])) for project in projects]
