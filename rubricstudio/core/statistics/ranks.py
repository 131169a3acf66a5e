"""Rank correlations within groups: Kendall's tau-b and Spearman's rho, ties handled."""

from collections.abc import Callable, Iterable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rubricstudio.core.errors import StatisticsError
from rubricstudio.core.statistics.figures import Figure, undefined

Pair = tuple[Sequence[float], Sequence[float]]
Correlation = Callable[[Sequence[float], Sequence[float]], Figure]

CONSTANT = "one of the two does not vary"


def average_ranks(values: ArrayLike) -> NDArray[np.float64]:
    """The ranks from 1, equal values sharing the mean of theirs."""
    numbers = np.asarray(values, dtype=float)
    _levels, places, counts = np.unique(numbers, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    middles: NDArray[np.float64] = (2 * last - counts + 1) / 2
    return middles[places]


def kendall_tau(first: Sequence[float], second: Sequence[float]) -> Figure:
    """Kendall's tau-b: (concordant - discordant) / √(pairs untied in x · pairs untied in y)."""
    x, y = _two(first, second)
    above, below = np.sign(x[:, None] - x[None, :]), np.sign(y[:, None] - y[None, :])
    agreeing = float((above * below).sum())
    spread = float(np.abs(above).sum()) * float(np.abs(below).sum())
    if spread == 0:
        return undefined(CONSTANT, n=len(x))
    return Figure(_bounded(agreeing / spread**0.5), len(x))


def spearman_rho(first: Sequence[float], second: Sequence[float]) -> Figure:
    """Spearman's rho: the correlation of the average ranks."""
    x, y = (average_ranks(values) for values in _two(first, second))
    x, y = x - x.mean(), y - y.mean()
    spread = float((x * x).sum()) * float((y * y).sum())
    if spread == 0:
        return undefined(CONSTANT, n=len(x))
    return Figure(_bounded(float((x * y).sum()) / spread**0.5), len(x))


def within_groups(groups: Iterable[Pair], correlation: Correlation) -> Figure:
    """The mean of a correlation over groups; groups in which it is undefined are left out.

    Ranks are compared only within a prompt, since rewards of different prompts have no common
    scale.
    """
    values, left_out = [], 0
    for first, second in groups:
        found = correlation(first, second)
        if found.value is None:
            left_out += 1
        else:
            values.append(found.value)
    if not values:
        return undefined("it is undefined in every group", left_out=left_out)
    return Figure(float(np.mean(values)), len(values), left_out)


def _bounded(value: float) -> float:
    """Between -1 and 1, which a last rounding can overstep."""
    return min(1.0, max(-1.0, value))


def _two(
    first: Sequence[float], second: Sequence[float]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    x, y = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    if x.shape != y.shape or x.ndim != 1 or not len(x):
        raise StatisticsError("a rank correlation needs two series of the same length, not empty")
    if not (np.isfinite(x).all() and np.isfinite(y).all()):
        raise StatisticsError("a value that is not finite has no rank")
    return x, y
