"""Ordinal fusion of one training step, beside choix and a scipy loop in the same run.

A step is 128 prompts with eight responses each under ten criteria; scores are of five levels, so
that there are ties, as in practice. choix cannot take ties, so it gets the decided pairs alone.
Figures are CPU milliseconds, the best of some tries; the peers' slow loops run once.
"""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Final, TypeVar

import choix
import numpy as np
from numpy.typing import NDArray
from scipy import optimize

from rubricstudio.core.bradley_terry import outcomes, utilities_by_rank
from rubricstudio.core.fusion import Ordinal, ScoreMatrix

GROUPS: Final = 128
MEMBERS: Final = 8
CRITERIA: Final = 10
TRIES: Final = 5
Floats = NDArray[np.float64]
Report = Callable[..., None]
Result = TypeVar("Result")


def measure_fusion(report: Report, peer: str | None) -> None:
    """Report ordinal fusion with and without attributes, and what others take for the same fits."""
    chance = np.random.default_rng(0)
    scores = chance.integers(0, 5, size=(GROUPS, CRITERIA, MEMBERS)).astype(float)
    weights = np.arange(1.0, CRITERIA + 1)
    plain = [ScoreMatrix(MEMBERS, rows, weights) for rows in scores]
    swayed = [
        ScoreMatrix(MEMBERS, rows, weights, attributes=chance.random((MEMBERS, 3)))
        for rows in scores
    ]
    ours = best(lambda: Ordinal().fuse(plain))
    adjusted = best(lambda: Ordinal(lambda_=0.5).fuse(swayed))
    report("rewards.ordinal_step", ms=ours * 1000, criteria=GROUPS * CRITERIA)
    report("rewards.ordinal_step_attributes", ms=adjusted * 1000, attributes=3)
    flat = scores.reshape(-1, MEMBERS)
    by_table = utilities_by_rank(flat, 1.0)
    for name, fit_one in PEERS.items():
        taken, theirs = once(partial(fit_all, fit_one, flat))
        report(
            f"rewards.{name}",
            ms=taken * 1000,
            in_ours=taken / ours,
            off_by=float(np.abs(theirs - by_table).max()),
        )
    if peer:
        report("rewards.autorubric", **peer_figures(peer))


def fit_all(fit_one: Callable[[Floats], Floats], rows: Floats) -> Floats:
    return np.array([fit_one(row) for row in rows])


def best(work: Callable[[], object]) -> float:
    return min(once(work)[0] for _ in range(TRIES))


def once(work: Callable[[], Result]) -> tuple[float, Result]:
    started = time.process_time()
    result = work()
    return time.process_time() - started, result


def by_scipy(row: Floats) -> Floats:
    won = outcomes(row[None], np.zeros(1))[0]
    upper = np.triu_indices(len(row), 1)

    def objective(at: Floats) -> float:
        gap = at[upper[0]] - at[upper[1]]
        share = won[upper]
        loss = share * np.logaddexp(0, -gap) + (1 - share) * np.logaddexp(0, gap)
        return float(loss.sum() + at @ at / 2)

    found: Floats = optimize.minimize(objective, np.zeros(len(row)), method="BFGS").x
    return found


def by_choix(row: Floats) -> Floats:
    size = len(row)
    data = [(i, j) for i in range(size) for j in range(size) if row[i] > row[j]]
    found: Floats = choix.opt_pairwise(size, data, alpha=0.5) if data else np.zeros(size)
    return found


PEERS: Final[Mapping[str, Callable[[Floats], Floats]]] = {"scipy": by_scipy, "choix": by_choix}


def peer_figures(python: str) -> dict[str, float]:
    """autorubric's weighted aggregation of as many groups, in an environment of its own."""
    script = Path(__file__).with_name("_fusing_peer.py")
    ran = subprocess.run(
        [python, str(script), str(GROUPS * MEMBERS), str(CRITERIA)],
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    return {"ms": float(ran.stdout.splitlines()[-1])}
