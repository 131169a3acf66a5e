"""Computing rewards: a configuration over the verdicts and outcomes of given runs.

Nothing is overwritten: what was computed stays, other inputs make another run, and equal inputs are
the run that is there. Nothing but the inputs decides a number, so computing them again gives the
same ones, bit for bit.
"""

from __future__ import annotations

import json
from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import Final, NamedTuple

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from apps.accounts import services as accounts
from apps.accounts.models import Project, User
from apps.activity import services as activity
from apps.activity.errors import BadInput, Conflict
from apps.judging import selectors as judging
from apps.judging.models import CheckRun, JudgeRun
from apps.prompts.services.bulk import copy_rows
from apps.rewards import selectors
from apps.rewards.models import Reward, RewardConfig, RewardRun
from apps.rewards.selectors import Evidence
from apps.rewards.services.configs import aggregator_of
from apps.rewards.services.grouping import Gathered, gather, step_of
from apps.rewards.services.summary import Tally
from rubricstudio.core.canonical import canonical_hash
from rubricstudio.core.errors import GroupError, SpecError
from rubricstudio.core.rewards import Aggregator, GroupRewards, NoReward
from rubricstudio.core.types import SpecValue

NO_SPEC: Final = "no_spec"
NOT_JUDGED: Final = "not_judged"
STALE: Final = "stale"
OTHER_JUDGE: Final = "other_judge"
NO_STEP: Final = "no_step"
UNUSABLE_SPEC: Final = "unusable_spec"
ROWS_AT_ONCE: Final = 2_000
COLUMNS: Final = (
    *("run_id", "rollout_id", "reward", "advantage"),
    *("components", "coverage", "flags", "reason"),
)


class Runs(NamedTuple):
    """What rewards are computed from; at least one of the two is there."""

    judge: JudgeRun | None
    check: CheckRun | None


@dataclass(frozen=True, slots=True)
class Computed:
    """The rewards of one group, to be stored."""

    prompt_id: int
    rewards: tuple[Reward, ...]
    stale: int = 0
    other_judge: int = 0
    problem: str = ""


@transaction.atomic
def compute_rewards(
    *,
    project: Project,
    config: RewardConfig,
    judge_run: JudgeRun | None = None,
    check_run: CheckRun | None = None,
    requested_by: User | None = None,
) -> RewardRun:
    """The reward of every rollout of a project, with its parts, as one run.

    Without a judge run it takes the newest that is complete, and so for the check run. Raises
    BadInput when there is neither, Conflict for a run that is not over, and where a spec or rollout
    came while it computed.
    """
    runs = check_runs(project, judge_run, check_run)
    # Two that compute the same at once: the second waits for its turn and finds the run there.
    Project.objects.select_for_update(no_key=True).get(pk=project.pk)
    inputs = _inputs_sha256(project, config, runs)
    known = RewardRun.objects.filter(project=project, inputs_sha256=inputs).first()
    if known is not None:
        return known
    run = _computed_run(project, config, runs, inputs, requested_by)
    if _inputs_sha256(project, config, runs) != inputs:
        raise Conflict(_("A spec or a rollout was added meanwhile: compute the rewards again."))
    return run


def _computed_run(
    project: Project,
    config: RewardConfig,
    runs: Runs,
    inputs: str,
    requested_by: User | None,
) -> RewardRun:
    (number,) = accounts.allocate_numbers(project=project, kind="reward_run")
    run = RewardRun.objects.create(
        project=project,
        number=number,
        config=config,
        judge_run=runs.judge,
        check_run=runs.check,
        inputs_sha256=inputs,
        requested_by=requested_by,
    )
    run.summary, run.finished_at = _store(run), timezone.now()
    run.save(update_fields=["summary", "finished_at"])
    activity.record(
        verb="rewards.computed",
        target=run,
        project=project,
        actor=requested_by,
        detail={name: run.summary[name] for name in ("rewards", "unscored", "mean")},
    )
    return run


def check_runs(project: Project, judge_run: JudgeRun | None, check_run: CheckRun | None) -> Runs:
    """The runs to compute from, the newest complete ones for those not given; raises as above."""
    runs = Runs(
        judge=judge_run or judging.newest_run(project),
        check=check_run or selectors.newest_check_run(project),
    )
    if not any(runs):
        raise BadInput(_("Nothing was judged or checked yet: run judge or run_checks first."))
    for run in runs:
        if run is not None and run.finished_at is None:
            raise Conflict(
                _("%(run)s is not over yet: wait for it, or name another.")
                % {"run": str(run).capitalize()}
            )
    return runs


def _inputs_sha256(project: Project, config: RewardConfig, runs: Runs) -> str:
    """A hash of everything that decides the rewards; a run that is over gets no more answers."""
    return canonical_hash(
        {
            "config": config.pk,
            "judge_run": runs.judge.pk if runs.judge else None,
            "check_run": runs.check.pk if runs.check else None,
            "specs_and_rollouts": judging.inputs_sha256(project),
        }
    )


def _store(run: RewardRun) -> dict[str, object]:
    tally = Tally()

    def rows() -> Generator[Reward]:
        for computed in rewards_of(run):
            tally.add(computed.prompt_id, computed.rewards)
            tally.stale += computed.stale
            tally.other_judge += computed.other_judge
            tally.note(computed.problem)
            yield from computed.rewards

    # A failure must not leave the database's cursor open behind it.
    with closing(rows()) as all_rows:
        for some in selectors.chunks(all_rows, ROWS_AT_ONCE):
            copy_rows(Reward, COLUMNS, [_row(reward) for reward in some])
    return tally.as_dict()


def _row(reward: Reward) -> tuple[object, ...]:
    return (
        *(reward.run_id, reward.rollout_id, reward.reward, reward.advantage),
        *(json.dumps(reward.components), reward.coverage, json.dumps(reward.flags), reward.reason),
    )


def rewards_of(run: RewardRun) -> Iterator[Computed]:
    """The rewards of a run from its inputs, group by group, stored nowhere.

    Call it inside a transaction.
    """
    judge = run.judge_run.judge_sha256 if run.judge_run else ""
    aggregator = aggregator_of(run.config)
    evidences = selectors.evidence_of(run.project, judge_run=run.judge_run, check_run=run.check_run)
    for evidence in evidences:
        yield _computed(run, evidence, aggregator, judge=judge)


def _computed(
    run: RewardRun, evidence: Evidence, aggregator: Aggregator, *, judge: str
) -> Computed:
    """One group's rewards; what makes a group impossible to score is a reason, never a number."""
    step = step_of(evidence)
    if evidence.spec is None:
        return _unscored(run, evidence, NO_SPEC)
    if aggregator.needs_step and step is None:
        return _unscored(run, evidence, NO_STEP)
    try:
        return _aggregated(run, evidence, evidence.spec, aggregator, judge=judge, step=step)
    except (SpecError, GroupError) as error:
        sentence = _("Prompt %(number)d: %(problem)s") % {
            "number": evidence.group.prompt_number,
            "problem": error,
        }
        return _unscored(run, evidence, UNUSABLE_SPEC, problem=sentence)


def _aggregated(
    run: RewardRun,
    evidence: Evidence,
    spec: SpecValue,
    aggregator: Aggregator,
    *,
    judge: str,
    step: int | None,
) -> Computed:
    gathered = gather(evidence, spec, judge=judge)
    result = aggregator.aggregate(gathered.group, step=step)
    flags = _flags(evidence, gathered, result)
    rewards = (
        Reward(
            run=run,
            rollout_id=int(one.rollout_id),
            reward=one.reward,
            advantage=one.advantage,
            components={str(name): value for name, value in one.components.items()},
            coverage=one.coverage,
            flags=flags,
            reason=_reason(one.reason, gathered, evidence),
        )
        for one in result.members
    )
    return Computed(
        prompt_id=evidence.group.prompt_id,
        rewards=tuple(rewards),
        stale=gathered.stale,
        other_judge=evidence.other_judge,
    )


def _flags(evidence: Evidence, gathered: Gathered, result: GroupRewards) -> list[str]:
    said = {STALE: gathered.stale, OTHER_JUDGE: evidence.other_judge}
    return [*map(str, result.flags), *(flag for flag, count in said.items() if count)]


def _reason(reason: NoReward | None, gathered: Gathered, evidence: Evidence) -> str:
    """Why there is no reward; where nothing could be scored, what was missing."""
    if reason is not NoReward.NOTHING_SCORED:
        return str(reason or "")
    if gathered.stale and gathered.stale == gathered.seen:
        return STALE
    if gathered.seen:
        return str(reason)
    return OTHER_JUDGE if evidence.other_judge else NOT_JUDGED


def _unscored(run: RewardRun, evidence: Evidence, reason: str, *, problem: str = "") -> Computed:
    rewards = (
        Reward(run=run, rollout_id=rollout_id, coverage=0.0, reason=reason)
        for rollout_id, _step in evidence.members
    )
    return Computed(evidence.group.prompt_id, tuple(rewards), problem=problem)
