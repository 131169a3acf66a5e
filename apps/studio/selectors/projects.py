"""What stands in each project, counted without reading the things themselves."""

from __future__ import annotations

from dataclasses import dataclass

from apps.accounts.models import Project, ProjectCounter, User
from apps.accounts.selectors import projects_seen_by
from apps.studio.selectors.steps import COUNTERS


@dataclass(frozen=True)
class ProjectLine:
    """A project and how much of each step it holds."""

    project: Project
    prompts: int
    specs: int
    rollouts: int
    runs: int
    rewards: int
    bundles: int


def project_lines(user: User) -> list[ProjectLine]:
    """The projects that the person may see, by name: two queries, however many there are."""
    projects = list(projects_seen_by(user))
    last = _last_numbers(projects)
    return [
        ProjectLine(
            project=project,
            prompts=last.get((project.pk, "prompt"), 0),
            specs=last.get((project.pk, "spec"), 0),
            rollouts=last.get((project.pk, "rollout"), 0),
            runs=last.get((project.pk, "run"), 0),
            rewards=last.get((project.pk, "reward_run"), 0),
            bundles=last.get((project.pk, "bundle"), 0),
        )
        for project in projects
    ]


def _last_numbers(projects: list[Project]) -> dict[tuple[int, str], int]:
    counters = ProjectCounter.objects.filter(project__in=projects, kind__in=COUNTERS)
    rows = counters.values_list("project_id", "kind", "last")
    return {(project_id, kind): last for project_id, kind, last in rows}
