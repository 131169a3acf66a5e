"""What freezing now would do: the checklist, and what would be written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.db.models import Count

from apps.accounts.models import Project
from apps.bundles import selectors
from apps.bundles.models import Bundle
from apps.bundles.services.checklist import CHECKS, Check, Finding, Subject, open_items
from apps.bundles.services.recipe import recipe_of
from apps.rewards.models import RewardConfig
from apps.specs.models import Constraint, Criterion


class Line(NamedTuple):
    """A line of the checklist; without a finding all is well."""

    check: Check
    finding: Finding | None


@dataclass(frozen=True)
class Preview:
    """What a bundle of this name would be. `judge` is empty where no model plays it.

    `left_out` counts prompts that have no spec to freeze; `parent` is the version before.
    """

    lines: Sequence[Line]
    specs: int
    criteria: int
    checkers: int
    splits: Mapping[str, int]
    left_out: int
    templates: Sequence[str]
    judge: Mapping[str, Any]
    config: RewardConfig
    parent: Bundle | None

    @property
    def open(self) -> list[Line]:
        """The lines that stand against freezing."""
        return [line for line in self.lines if line.finding is not None]

    @property
    def version(self) -> int:
        return self.parent.version + 1 if self.parent else 1


def preview_freeze(project: Project, *, config: RewardConfig, name: str) -> Preview:
    """Look at what would be frozen, and write nothing."""
    recipe = recipe_of(project, config)
    subject = Subject(project, selectors.specs_to_freeze(project), recipe)
    found = {item.check.name: item.finding for item in open_items(subject)}
    pks = subject.specs.order_by().values("pk")
    splits = subject.specs.order_by().values_list("prompt_revision__prompt__split")
    counted = dict(splits.annotate(Count("pk")))
    return Preview(
        lines=[Line(check, found.get(check.name)) for check in CHECKS],
        specs=sum(counted.values()),
        criteria=Criterion.objects.filter(spec__in=pks).count(),
        checkers=Constraint.objects.filter(spec__in=pks, refused="").count(),
        splits=counted,
        left_out=selectors.left_out(project).count(),
        templates=sorted(recipe.templates),
        judge=recipe.judge,
        config=config,
        parent=selectors.newest_version(project, name),
    )
