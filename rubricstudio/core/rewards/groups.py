"""What every aggregator takes and gives: the verdicts of a group in, its rewards out.

A group is the rollouts of one prompt revision that are compared together, judged by one judge
under one spec. Rewards of different groups are not compared here.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from rubricstudio.core.errors import GroupError
from rubricstudio.core.types import CheckOutcome, Criterion, Json, SpecValue, Verdict

Answers = Verdict | tuple[Verdict, ...]
"""One verdict, or the verdicts of several repeats or judges of a run set."""


class Component(StrEnum):
    """A part of a reward: the rubric, the code checkers, the global score."""

    RUBRIC = "rubric"
    CODE = "code"
    GLOBAL = "global"


class Flag(StrEnum):
    """What a reader of a group's rewards has to know."""

    ITEM_DROPPED = "item_dropped"
    COMPONENT_DROPPED = "component_dropped"
    CHECKER_REFUSED = "checker_refused"
    ERROR_AS_FAIL = "error_as_fail"
    OFF_SCALE = "off_scale"
    BELOW_COVERAGE = "below_coverage"
    NOTHING_SCORED = "nothing_scored"
    NO_WEIGHT = "no_weight"
    UNSCORED_MEMBER = "unscored_member"
    SINGLE = "single"
    ZERO_SIGNAL = "zero_signal"


class NoReward(StrEnum):
    """Why a rollout has no reward."""

    MISSING_ITEM = "missing_item"
    BELOW_COVERAGE = "below_coverage"
    NOTHING_SCORED = "nothing_scored"
    NO_WEIGHT = "no_weight"


@dataclass(frozen=True, slots=True)
class Member:
    """One rollout of a group with everything said about it.

    ``verdicts`` are by criterion key, ``checks`` by checker key, ``overall`` is the global score
    on its raw scale of 0 to 10. What is absent is missing. ``judge`` identifies who judged.
    """

    rollout_id: str
    verdicts: Mapping[str, Answers] = field(default_factory=dict, hash=False)
    checks: Mapping[str, CheckOutcome] = field(default_factory=dict, hash=False)
    overall: Answers | None = None
    judge: str = ""


@dataclass(frozen=True, slots=True)
class Group:
    """The rollouts that are compared, under the criteria and checkers of one spec.

    ``checkers`` are the keys of the checkers that the spec has, in order. Raises
    :class:`GroupError` where a rollout stands twice, is judged by something the spec does not
    have, or by another judge than its siblings.
    """

    criteria: tuple[Criterion, ...]
    checkers: tuple[str, ...]
    members: tuple[Member, ...]

    def __post_init__(self) -> None:
        for name in ("criteria", "checkers", "members"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        for rollout_id, count in Counter(one.rollout_id for one in self.members).items():
            if count > 1:
                raise GroupError(f"the rollout {rollout_id!r:.60} stands {count} times in a group")
        judges = sorted({member.judge for member in self.members})
        if len(judges) > 1:
            raise GroupError(f"a group has one judge, got {len(judges)}: {', '.join(judges)!s:.80}")
        self._check_keys()

    def _check_keys(self) -> None:
        criteria = {criterion.key for criterion in self.criteria}
        for member in self.members:
            strange = (set(member.verdicts) - criteria) | (set(member.checks) - {*self.checkers})
            if strange:
                raise GroupError(
                    f"the rollout {member.rollout_id!r:.60} has an answer to "
                    f"{min(strange)!r:.60}, which the spec of its group does not have"
                )


@dataclass(frozen=True, slots=True)
class MemberReward:
    """What a rollout gets.

    ``reward`` is in [0, 1] for the hybrid aggregator; it and ``advantage`` are ``None`` when the
    rollout is unscored, with the ``reason``. ``components`` holds the parts that were combined, or
    would have been. ``coverage`` is the share of its items that were scored.
    """

    rollout_id: str
    reward: float | None
    advantage: float | None
    components: Mapping[str, float | None] = field(hash=False)
    coverage: float
    reason: NoReward | None = None


@dataclass(frozen=True, slots=True)
class GroupRewards:
    """The rewards of a group, in the order of its members.

    ``coverage`` is the share of cells that were scored; ``dropped`` names the items that count for
    nobody because a member lacks them; ``checkers`` is the number of checkers that count, the same
    for every member; ``errors_as_fails`` the checks that failed only because of an error;
    ``spread`` the sample deviation over repeats, by item and rollout, where there were repeats.
    """

    members: tuple[MemberReward, ...]
    coverage: float
    flags: tuple[Flag, ...]
    dropped: tuple[str, ...] = ()
    checkers: int = 0
    errors_as_fails: int = 0
    alpha: float | None = None
    step: int | None = None
    spread: Mapping[str, Mapping[str, float]] = field(default_factory=dict, hash=False)


class Aggregator(Protocol):
    """A rule that turns the verdicts of a group into rewards."""

    @property
    def name(self) -> str:
        """The name of the rule, such as ``hybrid``."""

    @property
    def needs_step(self) -> bool:
        """Whether a reward cannot be computed without the step of its rollouts."""

    def aggregate(self, group: Group, *, step: int | None = None) -> GroupRewards:
        """The rewards of one group; nothing but the arguments decides them."""

    def without_each(
        self, group: Group, keys: Iterable[str], *, step: int | None = None
    ) -> dict[str, GroupRewards]:
        """For each of the items by key, the rewards as if the spec did not have it."""

    def problems(self, spec: SpecValue) -> tuple[str, ...]:
        """Why rewards could never be computed under a spec, as sentences; empty when they can."""

    def to_dict(self) -> dict[str, Json]:
        """The settings in full, as a bundle holds them."""
