"""How much hangs on one item of a group, told from the verdicts that are there.

The leverage of an item is the number of orders that would change if it were dropped: of the
n (n - 1) / 2 pairs of rollouts with a reward, those of which one stands above the other, or equal
to it, and would not without the item. Nothing is judged again.

An inversion is a rollout that fails a hard requirement and yet has a higher reward than one that
does not fail it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rubricstudio.core.rewards.cells import GLOBAL_KEY, GLOBAL_RANGE, Item
from rubricstudio.core.rewards.groups import Aggregator, Group
from rubricstudio.core.types import CheckCause, CheckOutcome, CheckResult, Polarity, Verdict

TIE: Final = 1e-12
"""Rewards that differ by no more are equal."""

Rewards = Sequence[float | None]


class Leverage(NamedTuple):
    """What dropping an item does: how many orders change, and the rewards without it.

    ``changed`` is ``None`` where some rollout would have no reward any more.
    """

    changed: int | None
    rewards: tuple[float | None, ...]


class Inversion(NamedTuple):
    """The member at ``at`` fails the item ``key``, yet outranks those at ``over``, best first."""

    key: str
    at: int
    over: tuple[int, ...]


def pairs(rewards: Rewards) -> int:
    """How many orders there are between rollouts with a reward: n (n - 1) / 2."""
    number = sum(reward is not None for reward in rewards)
    return number * (number - 1) // 2


def changed_orders(before: Rewards, after: Rewards) -> int | None:
    """Pairs whose order differs; ``None`` where a reward of ``before`` is missing in ``after``."""
    there = [at for at, reward in enumerate(before) if reward is not None]
    if any(after[at] is None for at in there):
        return None
    signs = _signs([before[at] for at in there]), _signs([after[at] for at in there])
    return int((signs[0] != signs[1]).sum()) // 2


def _signs(rewards: Rewards) -> NDArray[np.int64]:
    """1 where the first of a pair stands above the second, -1 below, 0 where they are equal."""
    values = np.asarray(rewards, dtype=float)
    above = values[:, None] - values[None, :]
    return np.where(above > TIE, 1, 0) - np.where(above < -TIE, 1, 0)


def leverage(
    aggregator: Aggregator,
    group: Group,
    keys: Iterable[str],
    *,
    before: Rewards,
    step: int | None = None,
) -> dict[str, Leverage]:
    """The leverage of each of the items; ``before`` are the rewards with all of them."""
    found = {}
    for key, result in aggregator.without_each(group, keys, step=step).items():
        rewards = tuple(member.reward for member in result.members)
        found[key] = Leverage(changed_orders(before, rewards), rewards)
    return found


def inversions(items: Iterable[Item], rewards: Rewards) -> tuple[Inversion, ...]:
    """The inversions in the hard items given, those over the most rollouts first."""
    found = [one for item in items for one in _inversions_in(item, rewards)]
    return tuple(sorted(found, key=lambda one: (-len(one.over), one.key, one.at)))


def _inversions_in(item: Item, rewards: Rewards) -> Iterable[Inversion]:
    known = [
        (at, value == item.worst, reward)
        for at, (value, reward) in enumerate(zip(item.cells, rewards, strict=True))
        if value is not None and reward is not None
    ]
    holding = sorted(
        ((at, reward) for at, fails, reward in known if not fails), key=lambda one: -one[1]
    )
    for at, fails, own in known:
        over = tuple(other for other, reward in holding if fails and own - reward > TIE)
        if over:
            yield Inversion(item.key, at, over)


def cost(
    aggregator: Aggregator, group: Group, key: str, at: int, *, step: int | None = None
) -> float | None:
    """How much higher the reward of a member would be if it had the best value of the item.

    ``None`` where it has no reward, either way.
    """
    now, best = (
        aggregator.aggregate(one, step=step).members[at].reward
        for one in (group, _at_best(group, key, at))
    )
    return None if now is None or best is None else best - now


def _at_best(group: Group, key: str, at: int) -> Group:
    """The group with the best answer in one cell."""
    member = group.members[at]
    if key == GLOBAL_KEY:
        better = replace(member, overall=Verdict.scored("", GLOBAL_RANGE[1]))
    elif key in group.checkers:
        passed = CheckOutcome(CheckResult.PASSED, CheckCause.OK, "")
        better = replace(member, checks={**member.checks, key: passed})
    else:
        criterion = next(one for one in group.criteria if one.key == key)
        wanted = criterion.polarity is Polarity.POSITIVE
        answer = Verdict.scored("", criterion.high if wanted else criterion.low)
        better = replace(member, verdicts={**member.verdicts, key: answer})
    return replace(group, members=(*group.members[:at], better, *group.members[at + 1 :]))
