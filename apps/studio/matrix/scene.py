"""A group as the core sees it, with the rewards that a basis gives it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from django.utils.translation import gettext as _

from apps.rewards.selectors import evidence_of_group
from apps.rewards.services import Gathered, contents_of, gather, step_of
from apps.rollouts.models import Rollout, RolloutGroup
from apps.specs.models import Spec
from apps.studio.matrix.basis import Basis
from apps.studio.selectors import groups as selectors
from rubricstudio.core.errors import CoreError
from rubricstudio.core.rewards import Aggregator, GroupRewards
from rubricstudio.core.types import SpecValue


@dataclass(frozen=True)
class Scene:
    """A group as the core sees it, its rewards under a basis, and who its members are.

    `result` is None where nothing can be computed; `problem` says why. `other_judge` counts
    verdicts that another judge than the run's gave: a group never mixes two.
    """

    group: RolloutGroup
    basis: Basis
    members: Sequence[Rollout]
    spec: Spec | None
    asked: SpecValue | None
    other_judge: int
    gathered: Gathered | None
    aggregator: Aggregator
    step: int | None
    result: GroupRewards | None
    problem: str

    @property
    def rewards(self) -> list[float | None]:
        """The rewards in the order of the members."""
        if self.result is None:
            return [None] * len(self.members)
        return [member.reward for member in self.result.members]

    def checker_key(self, content: str) -> str:
        """The key of the checker that asks this now; empty when none does."""
        keys = contents_of(self.asked)[1] if self.asked else {}
        return next((key for key, asked in keys.items() if asked == content), "")

    def place_of(self, rollout_id: int) -> int:
        return next(at for at, one in enumerate(self.members) if one.pk == rollout_id)


def scene_of(group: RolloutGroup, basis: Basis) -> Scene:
    """Everything that the matrix of a group is made from, in a fixed number of queries."""
    evidence = evidence_of_group(group, judge_run=basis.judge_run, check_run=basis.check_run)
    aggregator, step = basis.aggregator, step_of(evidence)
    spec = Spec.objects.filter(prompt_revision=group.prompt_revision_id).order_by("-version")
    scene = Scene(
        group=group,
        basis=basis,
        members=selectors.members_of(group),
        spec=spec.defer("line", "provenance").first(),
        asked=evidence.spec,
        other_judge=evidence.other_judge,
        gathered=None,
        aggregator=aggregator,
        step=step,
        result=None,
        problem="",
    )
    if evidence.spec is None:
        return replace(scene, problem=_("Its prompt has no spec."))
    judge = basis.judge_run.judge_sha256 if basis.judge_run else ""
    try:
        gathered = gather(evidence, evidence.spec, judge=judge)
        scene = replace(scene, gathered=gathered)
        if aggregator.needs_step and step is None:
            return replace(scene, problem=_("The rollouts have no step, and the reward needs one."))
        result = aggregator.aggregate(gathered.group, step=step)
    except CoreError as error:
        return replace(scene, problem=str(error))
    return replace(scene, result=result)
