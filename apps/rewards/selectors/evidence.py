"""What was said about the rollouts of a project, group by group: the inputs of every reward.

Groups come in chunks with the same number of queries each, so neither memory nor the number of
queries per chunk grows with the project.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice
from typing import NamedTuple, TypeVar

from apps.accounts.models import Project
from apps.judging.models import CheckOutcome, CheckRun, JudgeRun
from apps.judging.selectors import chain_of, verdicts_of
from apps.rollouts.models import Rollout, RolloutGroup
from apps.specs.models import Spec
from rubricstudio.core.types import SpecValue

T = TypeVar("T")

GROUPS_AT_ONCE = 200
SPECS_KEPT = 512
GROUP_ROW = (
    *("pk", "prompt_revision", "prompt_revision__prompt"),
    "prompt_revision__prompt__number",
)
ANSWER = ("state", "reason", "answer", "score")


class GroupRow(NamedTuple):
    """A group, and the prompt that it answers."""

    pk: int
    revision_id: int
    prompt_id: int
    prompt_number: int


class Member(NamedTuple):
    """A rollout of a group."""

    rollout_id: int
    step: int | None


class VerdictRow(NamedTuple):
    """A stored verdict; `key` is None for the global score, `content` what was judged by hash."""

    key: str | None
    content: str | None
    state: str
    reason: str
    answer: str
    score: float | None


class OutcomeRow(NamedTuple):
    """A stored check outcome, by the hash of what was checked."""

    content: str
    result: str
    cause: str


@dataclass(frozen=True, slots=True)
class Evidence:
    """One group with the newest spec of its prompt revision, and all that was said of its members.

    `other_judge` counts verdicts that another judge gave; they are not among the verdicts.
    """

    group: GroupRow
    members: tuple[Member, ...]
    spec: SpecValue | None
    verdicts: Mapping[int, Sequence[VerdictRow]] = field(default_factory=dict)
    outcomes: Mapping[int, Sequence[OutcomeRow]] = field(default_factory=dict)
    other_judge: int = 0


def evidence_of(
    project: Project, *, judge_run: JudgeRun | None, check_run: CheckRun | None
) -> Iterator[Evidence]:
    """Every group of a project, those of one prompt revision next to each other.

    Call it inside a transaction: the groups come from a server-side cursor.
    """
    groups = RolloutGroup.objects.filter(prompt_revision__prompt__project=project)
    found = groups.order_by("prompt_revision", "pk").values_list(*GROUP_ROW)
    rows = (GroupRow(*row) for row in found.iterator(chunk_size=GROUPS_AT_ONCE))
    for some in chunks(rows, GROUPS_AT_ONCE):
        yield from _chunk(some, judge_run=judge_run, check_run=check_run)


def evidence_of_group(
    group: RolloutGroup, *, judge_run: JudgeRun | None, check_run: CheckRun | None
) -> Evidence:
    """What was said about one group."""
    row = RolloutGroup.objects.values_list(*GROUP_ROW).get(pk=group.pk)
    (evidence,) = _chunk([GroupRow(*row)], judge_run=judge_run, check_run=check_run)
    return evidence


def chunks(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """The items in lists of at most `size`."""
    iterator = iter(items)
    while some := list(islice(iterator, size)):
        yield some


def _chunk(
    groups: Sequence[GroupRow], *, judge_run: JudgeRun | None, check_run: CheckRun | None
) -> Iterator[Evidence]:
    specs = _specs({group.revision_id for group in groups})
    members = _members([group.pk for group in groups])
    rollouts = [member.rollout_id for some in members.values() for member in some]
    verdicts = _verdicts(judge_run, rollouts)
    outcomes = _outcomes(check_run, rollouts)
    for group in groups:
        its = tuple(members.get(group.pk, ()))
        pks = [member.rollout_id for member in its]
        yield Evidence(
            group=group,
            members=its,
            spec=specs.get(group.revision_id),
            verdicts={pk: verdicts.own[pk] for pk in pks if pk in verdicts.own},
            outcomes={pk: outcomes[pk] for pk in pks if pk in outcomes},
            other_judge=sum(verdicts.others.get(pk, 0) for pk in pks),
        )


def _specs(revisions: Iterable[int]) -> dict[int, SpecValue]:
    newest = Spec.objects.filter(prompt_revision__in=list(revisions))
    newest = newest.order_by("prompt_revision", "-version").distinct("prompt_revision")
    return {
        revision: _spec(line) for revision, line in newest.values_list("prompt_revision", "line")
    }


@lru_cache(maxsize=SPECS_KEPT)
def _spec(line: str) -> SpecValue:
    return SpecValue.from_dict(json.loads(line))


def _members(groups: Sequence[int]) -> dict[int, list[Member]]:
    rows = Rollout.objects.filter(group__in=groups).order_by("group", "pk")
    members: dict[int, list[Member]] = {}
    for group, pk, step in rows.values_list("group", "pk", "step"):
        members.setdefault(group, []).append(Member(pk, step))
    return members


class Verdicts(NamedTuple):
    """Verdicts by rollout, and how many another judge than the run's own gave."""

    own: dict[int, list[VerdictRow]]
    others: dict[int, int]


def _verdicts(run: JudgeRun | None, rollouts: Sequence[int]) -> Verdicts:
    """The verdicts that count for a run. A group never mixes judges (methods.md 9.8)."""
    found = Verdicts({}, {})
    if run is None:
        return found
    same = JudgeRun.objects.filter(pk__in=chain_of(run), judge_sha256=run.judge_sha256)
    own = set(same.values_list("pk", flat=True))
    rows = verdicts_of(run).filter(rollout__in=rollouts)
    for run_id, rollout, key, content, *answer in rows.values_list(
        "run", "rollout", "criterion__key", "criterion__content_sha256", *ANSWER
    ):
        if run_id in own:
            found.own.setdefault(rollout, []).append(VerdictRow(key, content, *answer))
        else:
            found.others[rollout] = found.others.get(rollout, 0) + 1
    return found


def _outcomes(run: CheckRun | None, rollouts: Sequence[int]) -> dict[int, list[OutcomeRow]]:
    found: dict[int, list[OutcomeRow]] = {}
    if run is None:
        return found
    rows = CheckOutcome.objects.filter(run=run, rollout__in=rollouts).order_by("rollout", "checker")
    for rollout, *row in rows.values_list("rollout", "checker__content_sha256", "result", "cause"):
        found.setdefault(rollout, []).append(OutcomeRow(*row))
    return found
