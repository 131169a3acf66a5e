"""The specs of the demo: saved, edited once, and approved by a second person."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from apps.accounts.models import Project, User
from apps.rollouts.models import Rollout
from apps.specs import services as specs
from apps.specs.models import Constraint, Spec
from apps.specs.services.drafts import draft_constraints
from apps.studio.demo.texts import GLOBAL, Task
from rubricstudio.core.types import Criterion

METHOD: Final = "by hand"


class SpecDesk:
    """Who writes the specs, and where everything of a task is once it is saved."""

    def __init__(self, project: Project, *, author: User, reviewer: User) -> None:
        self.author = author
        self.reviewer = reviewer
        prompts = project.prompts.select_related("current__prompt__project")
        self._revisions = {prompt.key: prompt.current for prompt in prompts}
        rollouts = Rollout.objects.filter(project=project).values_list("key", "pk")
        self._rollouts = dict(rollouts)
        self._specs: dict[str, Spec] = {}
        self._criteria: dict[tuple[str, str], int] = {}

    def save(self, tasks: Iterable[Task]) -> None:
        """The first version of each spec, as it was before it was edited."""
        for task in tasks:
            revision = self._revisions[task.id]
            assert revision is not None  # noqa: S101 - an imported prompt has its revision
            spec = specs.save_draft(
                revision,
                draft=specs.Draft(
                    criteria=tuple(_before(task)),
                    constraints=draft_constraints(
                        task.constraints, origin=Constraint.Origin.PERSON
                    ),
                    label=task.label,
                    method=METHOD,
                ),
                author=self.author,
            )
            self._keep(task, spec)

    def edit(self, tasks: Iterable[Task]) -> None:
        """The next version of the specs whose wording was changed after judging."""
        for task in tasks:
            if task.edited:
                value = replace(self.spec(task).as_value(), criteria=task.criteria)
                reason = task.edited["author_reason"]
                self._specs[task.id] = specs.save_version(
                    self.spec(task), value=value, author=self.author, reason=reason
                )

    def approve(self, tasks: Iterable[Task]) -> None:
        """Ask for a review of what is no draft, and approve what is to be approved."""
        for task in tasks:
            if task.state == "draft":
                continue
            specs.request_review(self.spec(task), actor=self.author)
            if task.state == "approved":
                specs.approve(self.spec(task), actor=self.reviewer)

    def spec(self, task: Task) -> Spec:
        return self._specs[task.id]

    def rollout_id(self, task: Task, policy: str) -> int:
        return self._rollouts[f"{task.id}/{policy}"]

    def criterion_id(self, task: Task, key: str) -> int | None:
        return None if key == GLOBAL else self._criteria[task.id, key]

    def criterion(self, task: Task, key: str) -> Criterion | None:
        return next((one for one in task.criteria if one.key == key), None)

    def _keep(self, task: Task, spec: Spec) -> None:
        self._specs[task.id] = spec
        for key, pk in spec.criteria.values_list("key", "pk"):
            self._criteria[task.id, key] = pk


def _before(task: Task) -> Iterable[Criterion]:
    texts = task.edited.get("before", {})
    return (replace(one, text=texts.get(one.key, one.text)) for one in task.criteria)
