"""Bradley-Terry utilities of a group from its pairwise outcomes: one MAP fit per criterion.

Paper 003, section 3: the responses of a group are compared on each criterion, and a utility per
response explains the wins. With outcomes ``O[i, j]`` (1 a win of i over j, 1/2 a tie), an offset
``d`` per response and a normal prior of precision ``rho``, the utilities are the one minimum of ::

    NLL(u) = - sum over i < j of O log s(x) + (1 - O) log(1 - s(x)),  x = u_i - u_j + d_i - d_j
    u* = argmin NLL(u) + rho / 2 |u|^2                                s(x) = 1 / (1 + exp(-x))

The prior makes it finite where one response beats all others, and picks the solution of sum 0.
"""

from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from rubricstudio.core.errors import SettingsError

Floats = NDArray[np.float64]
Truths = NDArray[np.bool_]

NOISE: Final = 1e-9
"""Scores nearer to each other than this share of their range in the group are tied."""
STEP: Final = 1e-10
MOST_STEPS: Final = 100
CAREFUL_BELOW: Final = 0.1
TABLE_MEMBERS: Final = 16


def outcomes(scores: Floats, margin: Floats) -> Floats:
    """Wins, ties and losses of every pair: shape (..., G, G) from scores of shape (..., G).

    1 where the first is better by more than the margin of its criterion, 0 where it is worse, 1/2
    else. A pair with a missing score (NaN) is a tie here; :func:`fit` leaves it out.
    """
    gap = scores[..., :, None] - scores[..., None, :]
    limit = (margin + _noise(scores))[..., None, None]
    better = np.where(gap > limit, 1.0, np.where(gap < -limit, 0.0, 0.5))
    return np.where(np.isnan(gap), 0.5, better)


def _noise(scores: Floats) -> Floats:
    """How far scores of each criterion may differ and still be tied."""
    known = ~np.isnan(scores)
    highest = np.where(known, scores, -np.inf).max(axis=-1)
    lowest = np.where(known, scores, np.inf).min(axis=-1)
    spread = np.where(np.isfinite(highest) & np.isfinite(lowest), highest - lowest, 0.0)
    noise: Floats = NOISE * spread
    return noise


def fit(won: Floats, known: Truths, rho: float, offset: Floats | None = None) -> Floats:
    """The utilities of many groups at once: (N, G) from outcomes (N, G, G).

    ``known`` (N, G) says which responses take part; the others have utility 0. ``offset`` (N, G)
    is the part of each response that is explained already. ``rho`` > 0 is the precision of the
    prior. Newton's method from 0, until no utility moves by 1e-10.
    """
    check_rho(rho)
    pairs = (known[:, :, None] & known[:, None, :]).astype(float)
    fixed = np.zeros(known.shape) if offset is None else offset
    utilities = np.zeros(known.shape)
    for _ in range(MOST_STEPS):
        step = _newton_step(won, pairs, utilities, fixed, rho)
        if rho < CAREFUL_BELOW:
            step *= _halvings(won, pairs, utilities, fixed, rho, step)
        utilities += step
        if not step.size or np.abs(step).max() < STEP:
            break
    return np.where(known, utilities, 0.0)


def check_rho(rho: float) -> None:
    """Refuse a prior under which the utilities need not be finite."""
    if not (np.isfinite(rho) and rho > 0):
        raise SettingsError(f"rho is {rho!r:.40}; it has to be above 0")


def chances(utilities: Floats, offset: Floats) -> Floats:
    """The chance that each response beats each other: (N, G, G)."""
    strength = utilities + offset
    gap = strength[:, :, None] - strength[:, None, :]
    # The logistic function by tanh, which overflows nowhere.
    beats: Floats = 0.5 * (1.0 + np.tanh(0.5 * gap))
    return beats


def curvature(beats: Floats, pairs: Floats) -> Floats:
    """The second derivative of NLL by the utilities: a weighted graph Laplacian (N, G, G)."""
    weights = beats * (1.0 - beats) * pairs
    laplacian = -weights
    places = np.arange(weights.shape[-1])
    laplacian[:, places, places] += weights.sum(axis=-1)
    return laplacian


def _newton_step(won: Floats, pairs: Floats, at: Floats, offset: Floats, rho: float) -> Floats:
    beats = chances(at, offset)
    slope = ((won - beats) * pairs).sum(axis=-1) - rho * at
    bend = curvature(beats, pairs) + rho * np.eye(at.shape[-1])
    step: Floats = np.linalg.solve(bend, slope[..., None])[..., 0]
    return step


def _halvings(
    won: Floats, pairs: Floats, at: Floats, offset: Floats, rho: float, step: Floats
) -> Floats:
    """By how much each step is shortened so that it does not go uphill; (N, 1)."""
    shares = np.ones((len(at), 1))
    limit = _objective(won, pairs, at, offset, rho) + 1e-12
    # It ends: the shorter the step, the nearer is the objective to where it stands.
    while (uphill := _objective(won, pairs, at + shares * step, offset, rho) > limit).any():
        shares[uphill] /= 2
    return shares


def _objective(won: Floats, pairs: Floats, at: Floats, offset: Floats, rho: float) -> Floats:
    strength = at + offset
    gap = strength[:, :, None] - strength[:, None, :]
    # Each pair stands there twice, once from either side; log(1 + exp) without overflow.
    loss = pairs * won * np.logaddexp(0.0, -gap)
    total: Floats = loss.sum(axis=(1, 2)) + rho / 2 * (at * at).sum(axis=-1)
    return total


def utilities_by_rank(scores: Floats, rho: float) -> Floats:
    """The utilities of complete scores without margins or offsets: (N, G) from (N, G).

    Such outcomes are a ranking with ties, and a ranking of G responses has few shapes (128 for
    G = 8), so that each shape is fitted once and looked up ever after. Equal rankings have equal
    utilities to the last bit, whatever the scores are.
    """
    check_rho(rho)
    count, size = scores.shape
    if size < 2:
        return np.zeros(scores.shape)
    order = np.argsort(-scores, axis=-1, kind="stable")
    ranked = np.take_along_axis(scores, order, axis=-1)
    noise = _noise(scores)
    tied: Truths = np.less_equal(ranked[:, :-1] - ranked[:, 1:], noise[:, None])
    result = np.empty(scores.shape)
    if size > TABLE_MEMBERS or not _is_ranking(ranked, tied, noise).all():
        return fit(outcomes(scores, np.zeros(count)), np.ones(scores.shape, bool), rho)
    codes = tied @ (1 << np.arange(size - 1))
    shapes, where = np.unique(codes, return_inverse=True)
    table = np.array([_utilities_of_shape(int(code), size, rho) for code in shapes])
    np.put_along_axis(result, order, table[where], axis=-1)
    return result


def _is_ranking(ranked: Floats, tied: Truths, noise: Floats) -> Truths:
    """Whether ties are transitive: in a row of tied neighbours the first and last are tied too."""
    size = ranked.shape[-1]
    starts = np.concatenate([np.ones((len(ranked), 1), bool), ~tied], axis=-1)
    places = np.maximum.accumulate(np.where(starts, np.arange(size), 0), axis=-1)
    first = np.take_along_axis(ranked, places, axis=-1)
    transitive: Truths = np.all(first - ranked <= noise[:, None], axis=-1)
    return transitive


@lru_cache(maxsize=65_536)
def _utilities_of_shape(code: int, size: int, rho: float) -> tuple[float, ...]:
    """Utilities from best to worst; bit n of the code says that places n and n + 1 are tied."""
    one, other = _fitted_shape(code, size, rho), _fitted_shape(_turned(code, size), size, rho)
    # Turned round, a ranking has opposite utilities; so put together, to the last bit.
    found = (one - other[::-1]) / 2
    level = _levels(code, size)
    for rank in range(int(level[-1]) + 1):
        tied = found[level == rank]
        found[level == rank] = (tied.min() + tied.max()) / 2
    return tuple(float(value) for value in found)


def _levels(code: int, size: int) -> NDArray[np.int_]:
    """The level of each place from the best, 0, down."""
    begins = [not code >> place & 1 for place in range(size - 1)]
    return np.concatenate([[0], np.cumsum(begins)]).astype(int)


def _turned(code: int, size: int) -> int:
    """The code of the same ranking from worst to best."""
    return sum(1 << (size - 2 - place) for place in range(size - 1) if code >> place & 1)


def _fitted_shape(code: int, size: int, rho: float) -> Floats:
    scores = -_levels(code, size)[None, :].astype(float)
    found: Floats = fit(outcomes(scores, np.zeros(1)), np.ones(scores.shape, bool), rho)[0]
    return found
