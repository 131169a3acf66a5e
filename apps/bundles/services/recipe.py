"""How the specs of a bundle are scored: the aggregator, the judge and its templates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from apps.accounts.models import Project
from apps.activity.errors import Blocked
from apps.bundles import selectors
from apps.calls.services import templates_for
from apps.judging.models import JudgeRun
from apps.judging.services.judges import identity_of
from apps.rewards.models import RewardConfig
from apps.rewards.services import aggregator_of
from rubricstudio.core.bundle import BundleConfig
from rubricstudio.sandbox.jail import INTERPRETER

ROLES = ("judge", "global")


@dataclass(frozen=True, slots=True)
class Recipe:
    """What a bundle freezes beside its specs; the judge is empty where no model plays it."""

    config: BundleConfig
    templates: Mapping[str, str]

    @property
    def judge(self) -> Mapping[str, Any]:
        return self.config.judge


def recipe_of(project: Project, config: RewardConfig) -> Recipe:
    """The recipe of a project as it is set up now."""
    judge = _judge(project)
    names = [judge[role]["template"] for role in ROLES] if judge else []
    texts = templates_for(project) if names else {}
    generated = selectors.generated_checkers(project).exists()
    return Recipe(
        config=BundleConfig(
            aggregator=aggregator_of(config),
            judge=judge,
            interpreter=INTERPRETER if generated else "",
        ),
        templates={name: texts[name].text for name in names},
    )


def _judge(project: Project) -> dict[str, Any]:
    """The identity of the judge."""
    try:
        return identity_of(project=project, output_mode=JudgeRun.OutputMode.EXPLAINED).whole
    except Blocked:
        return {}
