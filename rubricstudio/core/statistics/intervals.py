"""Intervals and tests: Wilson, the exact sign test, the cluster bootstrap, Benjamini-Hochberg.

Every interval over verdicts or votes resamples prompts, never the pairs or repeats within them:
with nine pairs a prompt an interval that takes pairs as independent covered 70 % where it said 95.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isfinite, sqrt
from statistics import NormalDist
from typing import Final, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rubricstudio.core.errors import StatisticsError

CONFIDENCE: Final = 0.95
RESAMPLES: Final = 2_000
Cluster = TypeVar("Cluster")
Statistic = Callable[[Sequence[Cluster]], float | None]


@dataclass(frozen=True, slots=True)
class Interval:
    """From ``low`` to ``high``, both included; without bounds it says why.

    ``clusters`` are the independent units (prompts) it stands on. ``undefined`` counts the
    resamples in which the figure was undefined: an interval with many of them is not worth much.
    """

    low: float | None
    high: float | None
    confidence: float
    clusters: int
    undefined: int = 0
    reason: str = ""

    def within(self, low: float, high: float) -> bool:
        """Whether all of the interval lies inside a band; without bounds it does not."""
        return (
            self.low is not None and self.high is not None and low <= self.low <= self.high <= high
        )


def wilson(successes: int, n: int, confidence: float = CONFIDENCE) -> Interval:
    """Wilson's score interval of a share.

    (p + z²/2n ± z √(p(1-p)/n + z²/4n²)) / (1 + z²/n), z the normal quantile of (1+confidence)/2.
    For units that are independent; use :func:`ratio_bootstrap` where several belong to one prompt.
    Raises :class:`StatisticsError` unless 0 <= successes <= n.
    """
    _check_confidence(confidence)
    if not 0 <= successes <= n:
        raise StatisticsError(f"{successes} of {n} is no share")
    if n == 0:
        return Interval(None, None, confidence, 0, reason="nothing was counted")
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    share, spread = successes / n, z * z / n
    middle = share + spread / 2
    half = z * sqrt(share * (1 - share) / n + spread / (4 * n))
    low, high = (middle - half) / (1 + spread), (middle + half) / (1 + spread)
    # At the ends the formula gives exactly 0 and 1, which rounding must not miss.
    return Interval(0.0 if successes == 0 else low, 1.0 if successes == n else high, confidence, n)


def sign_test(wins: int, losses: int) -> float | None:
    """The exact two-sided p of as many wins and losses if both were equally likely.

    min(1, 2 P(X <= min(wins, losses))), X binomial with wins + losses trials and p = 1/2. Ties do
    not enter. ``None`` when there is neither a win nor a loss. Raises :class:`StatisticsError` for
    negative counts.
    """
    if wins < 0 or losses < 0:
        raise StatisticsError(f"{wins} wins and {losses} losses cannot be counted")
    n = wins + losses
    if n == 0:
        return None
    tail, term = 0, 1
    for k in range(min(wins, losses) + 1):
        tail += term
        term = term * (n - k) // (k + 1)
    chance: float = 2 * tail / 2**n
    return min(1.0, chance)


def cluster_bootstrap(
    clusters: Sequence[Cluster],
    statistic: Statistic[Cluster],
    *,
    seed: int,
    resamples: int = RESAMPLES,
    confidence: float = CONFIDENCE,
) -> Interval:
    """A percentile interval that draws whole clusters (prompts) with replacement.

    ``statistic`` gets the drawn clusters and gives the figure, or ``None`` where it is undefined;
    such draws are counted and left out. The same seed gives the same interval.
    """
    _check_draws(resamples, confidence)
    if len(clusters) < 2:
        return _too_few(len(clusters), confidence)
    chance = np.random.default_rng(seed)
    values = [
        statistic([clusters[place] for place in chance.integers(len(clusters), size=len(clusters))])
        for _ in range(resamples)
    ]
    return _percentiles(
        np.array([value for value in values if value is not None], dtype=float),
        resamples,
        confidence,
        len(clusters),
    )


def ratio_bootstrap(
    numerators: ArrayLike,
    denominators: ArrayLike,
    *,
    seed: int,
    resamples: int = RESAMPLES,
    confidence: float = CONFIDENCE,
) -> Interval:
    """:func:`cluster_bootstrap` of a share or mean, Σ numerator / Σ denominator, one pair a prompt.

    A mean over all pairs of all prompts is the sums of the prompts over their counts. Draws whose
    denominator is 0 are undefined. Raises :class:`StatisticsError` for arrays of different length
    or numbers that are not finite.
    """
    _check_draws(resamples, confidence)
    above, below = np.asarray(numerators, dtype=float), np.asarray(denominators, dtype=float)
    if above.shape != below.shape or above.ndim != 1:
        raise StatisticsError("numerators and denominators need one number each for every cluster")
    if not (np.isfinite(above).all() and np.isfinite(below).all()):
        raise StatisticsError("a cluster has a number that is not finite")
    if len(above) < 2:
        return _too_few(len(above), confidence)
    chance = np.random.default_rng(seed)
    ratios = [_draw_ratios(above, below, chance, draws) for draws in _chunks(resamples, len(above))]
    return _percentiles(np.concatenate(ratios), resamples, confidence, len(above))


def _chunks(resamples: int, clusters: int) -> list[int]:
    """How many resamples to draw at once, so that their places fit in some megabytes."""
    at_once = max(1, 2_000_000 // clusters)
    full, rest = divmod(resamples, at_once)
    return [at_once] * full + ([rest] if rest else [])


def _draw_ratios(
    above: NDArray[np.float64], below: NDArray[np.float64], chance: np.random.Generator, draws: int
) -> NDArray[np.float64]:
    places = chance.integers(len(above), size=(draws, len(above)))
    sums, counts = above[places].sum(axis=1), below[places].sum(axis=1)
    ratios: NDArray[np.float64] = sums[counts != 0] / counts[counts != 0]
    return ratios


def _percentiles(
    values: NDArray[np.float64], resamples: int, confidence: float, clusters: int
) -> Interval:
    missing = resamples - len(values)
    if not len(values):
        return Interval(
            None, None, confidence, clusters, missing, "the figure is undefined in every resample"
        )
    tail = (1 - confidence) / 2
    low, high = np.quantile(values, [tail, 1 - tail])
    return Interval(float(low), float(high), confidence, clusters, missing)


def _too_few(clusters: int, confidence: float) -> Interval:
    prompts = "1 prompt" if clusters == 1 else f"{clusters} prompts"
    return Interval(None, None, confidence, clusters, reason=f"{prompts}; an interval needs 2")


def _check_draws(resamples: int, confidence: float) -> None:
    _check_confidence(confidence)
    if resamples < 1:
        raise StatisticsError(f"{resamples} resamples give no interval; at least 1 is needed")


def _check_confidence(confidence: float) -> None:
    if not 0 < confidence < 1:
        raise StatisticsError(f"a confidence of {confidence} is not between 0 and 1")


def benjamini_hochberg(p_values: Sequence[float]) -> list[float]:
    """The p values adjusted for their number, in the order given.

    The adjusted value of the i-th smallest of m is the least m p_j / j over j >= i, at most 1: to
    call those at or below q keeps the expected share of false calls at q. Raises
    :class:`StatisticsError` for a value outside 0 to 1.
    """
    if not all(isfinite(p) and 0 <= p <= 1 for p in p_values):
        raise StatisticsError("a p value lies between 0 and 1")
    total, least = len(p_values), 1.0
    adjusted = [1.0] * total
    order = sorted(range(total), key=p_values.__getitem__, reverse=True)
    for passed, place in enumerate(order):
        least = min(least, p_values[place] * total / (total - passed))
        adjusted[place] = least
    return adjusted
