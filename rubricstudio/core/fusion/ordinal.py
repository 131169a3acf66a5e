"""RLVR2 (paper 003): criteria fused by what they say about order, not by their scales.

For each criterion the scores of a group become wins, ties and losses; a Bradley-Terry utility is
fitted to them (:mod:`rubricstudio.core.bradley_terry`); the utilities are averaged by the weights.
Any strictly increasing change of a criterion's scale leaves the reward as it is, to the last bit.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, NamedTuple

import numpy as np

from rubricstudio.core import attributes as attribute_model
from rubricstudio.core.attributes import Select
from rubricstudio.core.bradley_terry import (
    Floats,
    Truths,
    check_rho,
    fit,
    outcomes,
    utilities_by_rank,
)
from rubricstudio.core.errors import GroupError, SettingsError
from rubricstudio.core.fusion.baselines import Rule
from rubricstudio.core.fusion.matrix import (
    Critical,
    Fused,
    Kept,
    Numbers,
    ScoreMatrix,
    finish,
    keep_comparable,
    numbers,
    only_positive,
    weighted_rows,
)
from rubricstudio.core.rewards.choices import read_kind, read_number
from rubricstudio.core.rewards.groups import NoReward

AT_ONCE: Final = 4_096
"""How many criteria are fitted together, so that their matrices take some megabytes."""


class FusionKind(StrEnum):
    """Utilities fitted per criterion and averaged, or one fit to the averaged outcomes."""

    MEAN = "mean"
    POOLED = "pooled"


class TieKind(StrEnum):
    """How a tie enters the fit: as half a win for either side."""

    HALF = "half"


class PoolKind(StrEnum):
    """Over what the effect of an attribute is fitted: the whole batch, or each criterion alone."""

    BATCH = "batch"
    GROUP = "group"


class _Problem(NamedTuple):
    """One criterion of one group: its scores, who takes part, its tie margin."""

    group: int
    row: int
    scores: Floats
    known: Truths
    margin: float


@dataclass(frozen=True)
class Ordinal(Rule):
    """The ordinal reward.

    ``rho`` and ``rho_b`` are the precisions of the priors of utilities and effects, above 0.
    ``tie_margin`` is one number >= 0, or one for each criterion. ``lambda_`` (0 to 1) and
    ``select``, one or one for each attribute, say which part of an attribute's effect is removed;
    the default removes nothing. ``gate_margin`` is how far a response that fails a critical level
    stays below every better one. ``renorm_active`` leaves criteria that are tied throughout out of
    the sum of the weights.
    """

    rho: float = 1.0
    tie_margin: float | tuple[float, ...] = 0.0
    ties: TieKind = TieKind.HALF
    fusion: FusionKind = FusionKind.MEAN
    rho_b: float = 1.0
    lambda_: float | tuple[float, ...] = 0.0
    select: Select | tuple[Select, ...] = Select.POSITIVE_ATTENUATE
    pool: PoolKind = PoolKind.BATCH
    gate_margin: float = 0.1
    renorm_active: bool = field(default=False)

    def __post_init__(self) -> None:
        check_rho(self.rho)
        check_rho(self.rho_b)
        for name, kinds in (("ties", TieKind), ("fusion", FusionKind), ("pool", PoolKind)):
            value = read_kind(f"the setting {name}", kinds, getattr(self, name))
            object.__setattr__(self, name, value)
        for margin in np.atleast_1d(np.asarray(self.tie_margin, dtype=float)):
            read_number("a tie margin", float(margin), least=0)
        for share in np.atleast_1d(np.asarray(self.lambda_, dtype=float)):
            read_number("lambda", float(share), least=0, most=1)
        chosen = self.select if isinstance(self.select, tuple | list) else (self.select,)
        read = tuple(read_kind("the setting select", Select, one) for one in chosen)
        single = not isinstance(self.select, tuple | list)
        object.__setattr__(self, "select", read[0] if single else read)
        read_number("gate_margin", self.gate_margin, least=0)

    def fuse(self, groups: Sequence[ScoreMatrix]) -> list[Fused]:
        """One result for each group; effects pooled by batch are fitted over all of them."""
        for group in groups:
            only_positive(group, "ordinal fusion")
        everything = [keep_comparable(group, self.missing) for group in groups]
        if self.fusion is FusionKind.POOLED:
            return [self._pooled(*pair) for pair in zip(groups, everything, strict=True)]
        problems = [
            problem
            for at, (group, kept) in enumerate(zip(groups, everything, strict=True))
            for problem in self._problems(at, group, kept)
        ]
        utilities = [np.zeros(kept.scores.shape) for kept in everything]
        for problem, found in zip(problems, self._utilities(problems, groups), strict=True):
            utilities[problem.group][problem.row] = found
        return [
            self._mean(group, kept, its)
            for group, kept, its in zip(groups, everything, utilities, strict=True)
        ]

    def _problems(self, at: int, group: ScoreMatrix, kept: Kept) -> list[_Problem]:
        margins = self._margins(group)[kept.criteria]
        return [
            _Problem(at, row, *problem)
            for row, problem in enumerate(
                zip(kept.scores, ~np.isnan(kept.scores), margins.tolist(), strict=True)
            )
        ]

    def _margins(self, group: ScoreMatrix) -> Floats:
        criteria = len(group.weights)
        given = np.asarray(self.tie_margin, dtype=float)
        if given.ndim and len(given) != criteria:
            raise SettingsError(f"there are {len(given)} tie margins for {criteria} criteria")
        margins: Floats = np.broadcast_to(given, (criteria,))
        return margins

    def _utilities(
        self, problems: Sequence[_Problem], groups: Sequence[ScoreMatrix]
    ) -> list[Floats]:
        """The utilities of every problem, in order."""
        with_attributes = [at for at, one in enumerate(problems) if self._adjusts(groups, one)]
        found: list[Floats] = [np.zeros(0)] * len(problems)
        for at, values in self._adjusted(problems, with_attributes, groups):
            found[at] = values
        plain = sorted(set(range(len(problems))) - set(with_attributes))
        for at, values in self._plain(problems, plain):
            found[at] = values
        return found

    def _adjusts(self, groups: Sequence[ScoreMatrix], problem: _Problem) -> bool:
        return groups[problem.group].attributes is not None

    def _plain(
        self, problems: Sequence[_Problem], places: Sequence[int]
    ) -> list[tuple[int, Floats]]:
        """Without attributes: rankings from the table, what is no ranking by a fit."""
        result: list[tuple[int, Floats]] = []
        by_shape: dict[tuple[int, bool], list[int]] = {}
        for at in places:
            one = problems[at]
            ranking = one.margin == 0 and bool(one.known.all())
            by_shape.setdefault((len(one.scores), ranking), []).append(at)
        for (_size, ranking), those in by_shape.items():
            for start in range(0, len(those), AT_ONCE):
                part = those[start : start + AT_ONCE]
                scores = np.array([problems[at].scores for at in part])
                found = (
                    utilities_by_rank(scores, self.rho)
                    if ranking
                    else self._fitted([problems[at] for at in part])
                )
                result.extend(zip(part, found, strict=True))
        return result

    def _fitted(self, problems: Sequence[_Problem]) -> Floats:
        scores = np.array([one.scores for one in problems])
        known = np.array([one.known for one in problems])
        return fit(outcomes(scores, np.array([one.margin for one in problems])), known, self.rho)

    def _adjusted(
        self, problems: Sequence[_Problem], places: Sequence[int], groups: Sequence[ScoreMatrix]
    ) -> list[tuple[int, Floats]]:
        """With attributes: fit their effects, then the utilities beside the part to remove."""
        if not places:
            return []
        those = [problems[at] for at in places]
        size = max(len(one.scores) for one in those)
        scores = np.array([_padded(one.scores, size, np.nan) for one in those])
        known = ~np.isnan(scores)
        won = outcomes(scores, np.array([one.margin for one in those]))
        swayed = self._standardised(those, groups, size)
        # A criterion that is tied throughout has no signal, and an attribute must not make one.
        pairs = known[:, :, None] & known[:, None, :]
        signal = ((won != 0.5) & pairs).any(axis=(1, 2))
        utilities = np.zeros(scores.shape)
        if signal.any():
            found = attribute_model.effects(
                won[signal],
                known[signal],
                swayed[signal],
                rho=self.rho,
                rho_effects=self.rho_b,
                pooled=self.pool is PoolKind.BATCH,
            )
            offset = np.einsum("ngp,np->ng", swayed[signal], self._removed(found))
            utilities[signal] = fit(won[signal], known[signal], self.rho, offset)
        return [(at, utilities[row, : len(problems[at].scores)]) for row, at in enumerate(places)]

    def _standardised(
        self, problems: Sequence[_Problem], groups: Sequence[ScoreMatrix], size: int
    ) -> Floats:
        by_group: dict[int, Floats] = {}
        for one in problems:
            given = groups[one.group].attributes
            if one.group in by_group or given is None:
                continue
            if np.isnan(given).any():
                raise GroupError("an attribute is missing; every response needs every attribute")
            table = attribute_model.standardised(given)
            by_group[one.group] = np.pad(table, ((0, size - len(table)), (0, 0)))
        if len({table.shape for table in by_group.values()}) > 1:
            raise GroupError("the groups of a batch have different numbers of attributes")
        return np.array([by_group[one.group] for one in problems])

    def _removed(self, effects: Floats) -> Floats:
        width = effects.shape[-1]
        shares = np.broadcast_to(np.asarray(self.lambda_, dtype=float), (width,))
        chosen = self.select if isinstance(self.select, tuple) else (self.select,) * width
        if len(chosen) != width:
            raise SettingsError(f"there are {len(chosen)} selections for {width} attributes")
        columns = [
            select.removed(effects[:, at], float(shares[at])) for at, select in enumerate(chosen)
        ]
        return np.stack(columns, axis=-1)

    def _mean(self, group: ScoreMatrix, kept: Kept, utilities: Floats) -> Fused:
        tied = ~utilities.any(axis=1)
        weights = kept.weights * ~tied if self.renorm_active else kept.weights
        total = weights.sum()
        rewards = np.full(group.size, np.nan)
        if total > 0:
            rewards = weighted_rows(utilities, weights) / total
        elif kept.weights.sum() > 0:
            rewards = np.zeros(group.size)
        return self._gated(group, kept, rewards, utilities)

    def _pooled(self, group: ScoreMatrix, kept: Kept) -> Fused:
        """One fit to sum w O / sum w over the responses that lack nothing."""
        rewards = np.full(group.size, np.nan)
        if len(kept.weights) and kept.members.any():
            scores = kept.scores[:, kept.members]
            won = outcomes(scores, self._margins(group)[kept.criteria])
            mixed = np.einsum("k,kij->ij", kept.weights / kept.weights.sum(), won)
            known = np.ones((1, scores.shape[-1]), dtype=bool)
            rewards[kept.members] = fit(mixed[None], known, self.rho)[0]
        return self._gated(group, kept, rewards, None)

    def _gated(
        self, group: ScoreMatrix, kept: Kept, rewards: Floats, utilities: Floats | None
    ) -> Fused:
        flags = {}
        if group.critical:
            kept, levels = _levels(group, kept)
            rewards, held = gate(rewards, levels, kept.members, self.gate_margin)
            flags["gated"] = held
        rows = None if utilities is None else _rows(group, kept, utilities)
        told = {} if utilities is None else {"tied": _tied(kept, utilities)}
        return finish(rewards, kept, self.advantage, utilities=rows, flags={**told, **flags})


def gate(
    rewards: Floats, levels: Floats, members: Truths, margin: float
) -> tuple[Floats, list[int]]:
    """Keep responses of a worse level below all of better ones (paper 003, RLVR2+).

    From the best level down, a reward at a level above 0 is at most the least reward of the better
    levels less ``margin``. Without a better one it stays. Returns the rewards and whom it lowered.
    """
    gated = rewards.copy()
    lowered: list[int] = []
    scored = members & np.isfinite(rewards)
    for level in np.unique(levels[scored]):
        better = scored & (levels < level)
        if level <= 0 or not better.any():
            continue
        ceiling = gated[better].min() - margin
        for at in np.flatnonzero(scored & (levels == level) & (gated > ceiling)):
            gated[at] = ceiling
            lowered.append(int(at))
    return gated, sorted(lowered)


def _levels(group: ScoreMatrix, kept: Kept) -> tuple[Kept, Floats]:
    """The worst level of each response; one that lacks a level is unscored, and never passes."""
    table = np.array([_read_levels(one) for one in group.critical])
    lacking = np.isnan(table).any(axis=0)
    reasons = [
        reason or (NoReward.MISSING_ITEM if lack else None)
        for reason, lack in zip(kept.reasons, lacking, strict=True)
    ]
    worst = np.where(lacking, 0.0, np.nan_to_num(table).max(axis=0))
    return kept._replace(members=kept.members & ~lacking, reasons=reasons), worst


def _read_levels(critical: Critical) -> list[float]:
    levels = [np.nan if level is None else float(level) for level in critical.levels]
    if any(level < 0 or np.isinf(level) for level in levels):
        raise GroupError("a level is 0 for a pass, or above it")
    return levels


def _rows(group: ScoreMatrix, kept: Kept, utilities: Floats) -> tuple[Numbers, ...]:
    """Utilities by criterion of the group, ``None`` for one that does not count, or is missing."""
    table = np.full((len(group.weights), group.size), np.nan)
    table[kept.criteria] = np.where(np.isnan(kept.scores), np.nan, utilities)
    return tuple(numbers(row) for row in table)


def _tied(kept: Kept, utilities: Floats) -> list[int]:
    """The criteria on which nobody is better than anybody."""
    tied: list[int] = kept.criteria[~utilities.any(axis=1)].tolist()
    return tied


def _padded(values: Floats, size: int, filling: float) -> Floats:
    return np.pad(values, (0, size - len(values)), constant_values=filling)
