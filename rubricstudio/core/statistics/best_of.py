"""Best-of-n curves without bias: what the response with the highest reward of n is worth."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from math import comb
from operator import itemgetter

from rubricstudio.core.errors import StatisticsError
from rubricstudio.core.statistics.figures import Figure, undefined


@dataclass(frozen=True, slots=True)
class RankedGroup:
    """The responses to one prompt: their rewards, and what each is truly worth."""

    rewards: Sequence[float]
    worth: Sequence[float]

    def __post_init__(self) -> None:
        if len(self.rewards) != len(self.worth):
            raise StatisticsError("a group needs one worth for every reward")


def best_of_n(group: RankedGroup, n: int) -> Figure:
    """The mean worth of the best by reward over all subsets of n, drawn without replacement.

    Σ over levels of the reward (C(b, n) - C(a, n)) / C(G, n) · mean worth of the level, with a
    responses below it and b at or below it: no subset is drawn, so there is no sampling error, and
    equal rewards are chosen among by chance. Undefined for a group smaller than n.
    """
    if n < 1:
        raise StatisticsError(f"the best of {n} responses does not exist")
    size = len(group.rewards)
    if size < n:
        return undefined(f"the group has {size} responses", n=size)
    subsets, below, total = comb(size, n), 0, 0.0
    ordered = sorted(zip(group.rewards, group.worth, strict=True), key=itemgetter(0))
    for _reward, level in groupby(ordered, key=itemgetter(0)):
        worths = [worth for _, worth in level]
        upto = below + len(worths)
        chance = (comb(upto, n) - comb(below, n)) / subsets
        total += chance * sum(worths) / len(worths)
        below = upto
    return Figure(total, size)


def best_of_n_curve(groups: Sequence[RankedGroup], sizes: Sequence[int]) -> dict[int, Figure]:
    """:func:`best_of_n` as a mean over groups, for each n; smaller groups are left out, counted.

    Points with different numbers of groups do not compare; each says how many it has.
    """
    return {n: _mean(groups, n) for n in sizes}


def _mean(groups: Sequence[RankedGroup], n: int) -> Figure:
    found = [best_of_n(group, n).value for group in groups]
    values = [value for value in found if value is not None]
    left_out = len(found) - len(values)
    if not values:
        return undefined(f"no group has {n} responses", left_out=left_out)
    return Figure(sum(values) / len(values), len(values), left_out)
