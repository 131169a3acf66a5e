"""Attributes that sway a comparison (length, markup) estimated and taken out of utilities.

Paper 003, section 3.4: attributes of the responses enter the comparison model beside the
utilities, and a chosen part of their fitted effect is removed. How they are pooled, penalised and
attenuated is left open there; those are settings here.
"""

from enum import StrEnum
from typing import Final

import numpy as np
from numpy.typing import NDArray

from rubricstudio.core.bradley_terry import MOST_STEPS, STEP, Floats, chances, curvature

FLAT: Final = 1e-12


class Select(StrEnum):
    """Which part of a fitted effect is removed.

    positive_attenuate: lambda times the positive effect, none of a negative one (the paper's rule
    for length). remove_all: the whole effect. remove_positive: all of a positive one.
    """

    POSITIVE_ATTENUATE = "positive_attenuate"
    REMOVE_ALL = "remove_all"
    REMOVE_POSITIVE = "remove_positive"

    def removed(self, effects: Floats, share: float) -> Floats:
        """The part of each effect that is removed; ``share`` is lambda, from 0 to 1."""
        if self is Select.REMOVE_ALL:
            return effects
        positive = np.maximum(effects, 0.0)
        return positive if self is Select.REMOVE_POSITIVE else share * positive


def standardised(attributes: Floats) -> Floats:
    """Attributes (..., G, p) less their mean in the group over their deviation (ddof 0).

    An attribute that does not vary in a group is 0 there.
    """
    centred = attributes - attributes.mean(axis=-2, keepdims=True)
    deviation = np.sqrt((centred * centred).mean(axis=-2, keepdims=True))
    flat = np.less(deviation, FLAT)
    result: Floats = np.where(flat, 0.0, centred / np.where(flat, 1.0, deviation))
    return result


def effects(
    won: Floats,
    known: NDArray[np.bool_],
    attributes: Floats,
    *,
    rho: float,
    rho_effects: float,
    pooled: bool,
) -> Floats:
    """The fitted effect of each attribute: (N, p), equal rows when pooled.

    argmin over u, b of sum NLL(O; u, b) + rho/2 |u|² + rho_effects/2 |b|², with the strength of a
    response u_i + b·a_i. ``pooled`` fits one b to all problems, else each has its own. Outcomes are
    (N, G, G), ``known`` (N, G) and attributes (N, G, p). The utilities are eliminated from each
    Newton step, so that it costs no more than the problems one by one.
    """
    pairs = (known[:, :, None] & known[:, None, :]).astype(float)
    count, size, width = attributes.shape
    utilities: Floats = np.zeros((count, size))
    found: Floats = np.zeros((count, width))
    identity = np.eye(size)
    for _ in range(MOST_STEPS):
        offset = np.einsum("ngp,np->ng", attributes, found)
        beats = chances(utilities, offset)
        residual = ((won - beats) * pairs).sum(axis=-1)
        laplacian = curvature(beats, pairs)
        bend, cross = laplacian + rho * identity, laplacian @ attributes
        slope = residual - rho * utilities
        solved = np.linalg.solve(bend, np.concatenate([slope[..., None], cross], axis=-1))
        by_slope, by_cross = solved[..., 0], solved[..., 1:]
        schur = np.einsum("ngp,ngq->npq", attributes, cross) - np.einsum(
            "ngp,ngq->npq", cross, by_cross
        )
        pull = np.einsum("ngp,ng->np", attributes, residual) - np.einsum(
            "ngp,ng->np", cross, by_slope
        )
        moved: Floats = _effects_step(schur, pull, found, rho_effects, pooled=pooled)
        step = by_slope - np.einsum("ngp,np->ng", by_cross, moved)
        utilities, found = utilities + step, found + moved
        if max(np.abs(step).max(initial=0), np.abs(moved).max(initial=0)) < STEP:
            break
    return found


def _effects_step(schur: Floats, pull: Floats, at: Floats, rho: float, *, pooled: bool) -> Floats:
    prior = rho * np.eye(at.shape[-1])
    if not pooled:
        each = np.linalg.solve(schur + prior, (pull - rho * at)[..., None])[..., 0]
        return np.asarray(each, dtype=np.float64)
    if not len(at):
        return at
    one = np.linalg.solve(schur.sum(axis=0) + prior, pull.sum(axis=0) - rho * at[0])
    shared: Floats = np.broadcast_to(one, at.shape)
    return shared
