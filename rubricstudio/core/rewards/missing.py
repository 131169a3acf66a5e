"""Comparability within a group: items and components are fixed for all of its rollouts.

A reward that renormalises per rollout is exploitable: a rollout whose checkers give no answer
would beat siblings that fail them (.700 against .467), and a verdict lost on a failed criterion
would lift a reward (.775 to .912). So what one rollout lacks counts for nobody, or the rollout
that lacks it gets no reward, or lacking counts as failing.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar, NamedTuple

from rubricstudio.core.rewards.cells import Item
from rubricstudio.core.rewards.choices import Choice, read_kind, read_number
from rubricstudio.core.rewards.groups import NoReward


class MissingKind(StrEnum):
    """What a missing verdict does.

    drop_item_for_group: the item counts for nobody. unscore_response: the rollout gets no reward.
    fail: it counts as the worst value. reject: nobody gets a reward when less than the minimum
    coverage was scored, else as drop_item_for_group.
    """

    DROP_ITEM_FOR_GROUP = "drop_item_for_group"
    UNSCORE_RESPONSE = "unscore_response"
    FAIL = "fail"
    REJECT = "reject"


@dataclass(frozen=True)
class MissingRule(Choice):
    """What a missing verdict does; ``min_coverage`` is for reject, a share of the cells."""

    NAME: ClassVar[str] = "missing"

    kind: MissingKind = MissingKind.DROP_ITEM_FOR_GROUP
    min_coverage: float = 0.8

    def __post_init__(self) -> None:
        object.__setattr__(self, "kind", read_kind("the kind of missing", MissingKind, self.kind))
        least = read_number("the minimum coverage", self.min_coverage, least=0, most=1)
        object.__setattr__(self, "min_coverage", least)


class Comparable(NamedTuple):
    """A group made comparable.

    ``items`` are complete for every rollout that is not held back. ``dropped`` are the keys of
    items that count for nobody. ``held_back`` says by rollout why it gets no reward.
    """

    items: list[Item]
    dropped: tuple[str, ...]
    held_back: list[NoReward | None]
    coverage: float
    member_coverage: list[float]


def make_comparable(items: Sequence[Item], members: int, rule: MissingRule) -> Comparable:
    """Fix the items for all rollouts of a group, as the rule says.

    A refused checker is out for everybody and is no gap. Coverage is the share of the other cells
    that hold a value, for the group and for each of its members; without cells it is 0.
    """
    open_items = [item for item in items if not item.refused]
    by_member = [_share(open_items, at) for at in range(members)]
    coverage = sum(by_member) / members if members else 0.0
    refused = tuple(item.key for item in items if item.refused)
    held_back: list[NoReward | None] = [None] * members
    if rule.kind is MissingKind.REJECT and coverage < rule.min_coverage:
        held_back = [NoReward.BELOW_COVERAGE] * members
    if rule.kind is MissingKind.FAIL:
        _fill_with_worst(open_items)
    elif rule.kind is MissingKind.UNSCORE_RESPONSE:
        lacks = [any(item.cells[at] is None for item in open_items) for at in range(members)]
        held_back = [NoReward.MISSING_ITEM if lacking else None for lacking in lacks]
    else:
        refused += tuple(item.key for item in open_items if not item.complete)
        open_items = [item for item in open_items if item.complete]
    return Comparable(open_items, refused, held_back, coverage, by_member)


def _share(items: Sequence[Item], at: int) -> float:
    if not items:
        return 0.0
    return sum(item.cells[at] is not None for item in items) / len(items)


def _fill_with_worst(items: Sequence[Item]) -> None:
    for item in items:
        item.cells = [item.worst if value is None else value for value in item.cells]
