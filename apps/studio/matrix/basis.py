"""On what the numbers of a group stand: a judge run, a check run and a reward configuration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from apps.accounts.models import Project
from apps.activity.errors import BadInput
from apps.judging.models import CheckRun, JudgeRun
from apps.judging.selectors import get_run, runs_of
from apps.rewards import selectors as rewards
from apps.rewards.models import RewardRun
from apps.rewards.services import DEFAULT, default_settings
from rubricstudio.core.rewards import Aggregator, aggregator_from_dict


@dataclass(frozen=True)
class Basis:
    """What was chosen. Without a reward run the project's default configuration is applied.

    `chosen` is the part of the address that chooses it, empty when nothing was asked for.
    """

    judge_run: JudgeRun | None
    check_run: CheckRun | None
    reward_run: RewardRun | None
    settings: Mapping[str, Any]
    chosen: Mapping[str, int]

    @property
    def aggregator(self) -> Aggregator:
        return aggregator_from_dict(self.settings)

    @property
    def configuration(self) -> str:
        """The name of the configuration, with its version where it is saved."""
        return str(self.reward_run.config) if self.reward_run else DEFAULT

    @property
    def evidence(self) -> bool:
        """Whether anything was judged or checked at all."""
        return self.judge_run is not None or self.check_run is not None


def choose_basis(project: Project, *, run: str = "", reward: str = "") -> Basis:
    """The newest reward run and the runs behind it; `run` and `reward` are numbers of others.

    Raises BadInput for a number that the project does not have.
    """
    reward_run = _reward_run(project, _number(reward, _("reward")))
    named = _number(run, _("run"))
    judge_run = get_run(project, named) if named else _judge_run(project, reward_run)
    check_run = reward_run.check_run if reward_run else None
    settings = reward_run.config.settings if reward_run else default_settings(project)
    return Basis(
        judge_run=judge_run,
        check_run=check_run or rewards.newest_check_run(project),
        reward_run=reward_run,
        settings=settings,
        chosen={name: int(value) for name, value in (("run", run), ("reward", reward)) if value},
    )


def _number(text: str, name: str) -> int | None:
    if not text:
        return None
    if not text.isdecimal() or len(text) > 9:
        raise BadInput(_("%(name)s is %(text)r: use a number.") % {"name": name, "text": text[:40]})
    return int(text)


def _reward_run(project: Project, number: int | None) -> RewardRun | None:
    runs = rewards.reward_runs_of(project).filter(finished_at__isnull=False)
    if number is None:
        return runs.first()
    found = runs.filter(number=number).first()
    if found is None:
        raise BadInput(_("The project has no reward run %(number)d.") % {"number": number})
    return found


def _judge_run(project: Project, reward_run: RewardRun | None) -> JudgeRun | None:
    """The one that the rewards stand on; without rewards the newest that has begun."""
    if reward_run is not None:
        return reward_run.judge_run
    runs = runs_of(project).exclude(state=JudgeRun.State.QUEUED)
    return runs.filter(state=JudgeRun.State.DONE).first() or runs.first()
