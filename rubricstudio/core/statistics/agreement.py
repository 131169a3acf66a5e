"""Agreement between raters beyond chance, for two raters or many, with labels missing.

A missing label is ``None``: the unit is left out and counted. What is undefined has a reason; it
is never 1.0.
"""

from collections import Counter
from collections.abc import Hashable, Sequence
from enum import StrEnum
from typing import TypeVar

from rubricstudio.core.errors import StatisticsError
from rubricstudio.core.statistics.figures import Figure, undefined

Label = TypeVar("Label", bound=Hashable)

NOTHING = "no unit was labelled by both"
ONE_LABEL = "one and the same label was given throughout, so chance agrees fully too"


class Weighting(StrEnum):
    """How much a disagreement weighs by its distance in ranks."""

    LINEAR = "linear"
    QUADRATIC = "quadratic"

    def distance(self, one: int, other: int) -> float:
        """The weight of a disagreement between two ranks; 0 for the same."""
        apart = abs(one - other)
        return float(apart if self is Weighting.LINEAR else apart * apart)


def percent_agreement(first: Sequence[Label | None], second: Sequence[Label | None]) -> Figure:
    """The share of units with the same label, among those that both labelled."""
    pairs, left_out = _both(first, second)
    if not pairs:
        return undefined(NOTHING, left_out=left_out)
    return Figure(sum(a == b for a, b in pairs) / len(pairs), len(pairs), left_out)


def half_credit_agreement(
    first: Sequence[Label | None], second: Sequence[Label | None], *, tie: Label
) -> Figure:
    """Agreement in which a tie against a decision counts one half.

    (same + ½ · exactly one of the two a tie) / units that both labelled.
    """
    pairs, left_out = _both(first, second)
    if not pairs:
        return undefined(NOTHING, left_out=left_out)
    credit = sum(1.0 if a == b else 0.5 if tie in (a, b) else 0.0 for a, b in pairs)
    return Figure(credit / len(pairs), len(pairs), left_out)


def cohen_kappa(first: Sequence[Label | None], second: Sequence[Label | None]) -> Figure:
    """Cohen's kappa (p_o - p_e) / (1 - p_e), p_e from each rater's own shares of the labels."""
    pairs, left_out = _both(first, second)
    if not pairs:
        return undefined(NOTHING, left_out=left_out)
    n = len(pairs)
    ones, others = Counter(a for a, _ in pairs), Counter(b for _, b in pairs)
    # Whole numbers until the last division: agreement by chance of exactly 1 is seen exactly.
    chance = sum(ones[label] * others[label] for label in ones)
    if chance == n * n:
        return undefined(ONE_LABEL, n=n, left_out=left_out)
    same = sum(a == b for a, b in pairs)
    return Figure((same * n - chance) / (n * n - chance), n, left_out)


def weighted_kappa(
    first: Sequence[Label | None],
    second: Sequence[Label | None],
    *,
    order: Sequence[Label],
    weighting: Weighting = Weighting.QUADRATIC,
) -> Figure:
    """Cohen's weighted kappa 1 - Σ d o / Σ d e over labels in an order.

    ``d`` is the distance of two ranks, linear or squared; ``o`` the observed pairs and ``e`` those
    that the raters' own shares would give. Raises :class:`StatisticsError` for a label that is not
    in the order, or an order that repeats one.
    """
    rank = _ranks(order)
    pairs, left_out = _both(first, second)
    if not pairs:
        return undefined(NOTHING, left_out=left_out)
    try:
        places = [(rank[a], rank[b]) for a, b in pairs]
    except KeyError as error:
        raise StatisticsError(f"the label {error.args[0]!r} is not in the order") from None
    n = len(places)
    ones, others = Counter(a for a, _ in places), Counter(b for _, b in places)
    observed = sum(weighting.distance(a, b) for a, b in places)
    expected = sum(ones[a] * others[b] * weighting.distance(a, b) for a in ones for b in others)
    if expected == 0:
        return undefined(ONE_LABEL, n=n, left_out=left_out)
    return Figure(1 - observed * n / expected, n, left_out)


def _ranks(order: Sequence[Label]) -> dict[Label, int]:
    ranks = {label: place for place, label in enumerate(order)}
    if len(ranks) != len(order):
        raise StatisticsError("the order names a label twice")
    return ranks


def gwet_ac1(
    first: Sequence[Label | None],
    second: Sequence[Label | None],
    *,
    labels: Sequence[Label] | None = None,
) -> Figure:
    """Gwet's AC1, (p_o - p_e) / (1 - p_e) with p_e = Σ π (1-π) / (q-1).

    ``π`` is the mean share of a label over both raters and ``q`` the number of labels that could
    be given: those of ``labels``, else those that were. It does not fall to 0 where one label is
    rare, as kappa does.
    """
    pairs, left_out = _both(first, second)
    if not pairs:
        return undefined(NOTHING, left_out=left_out)
    n = len(pairs)
    given = Counter(label for pair in pairs for label in pair)
    known = set(given) if labels is None else set(labels)
    if not set(given) <= known:
        raise StatisticsError(f"the label {sorted(map(repr, set(given) - known))[0]} is not listed")
    if len(known) < 2:
        return undefined("only one label could be given", n=n, left_out=left_out)
    shares = [count / (2 * n) for count in given.values()]
    chance = sum(share * (1 - share) for share in shares) / (len(known) - 1)
    same = sum(a == b for a, b in pairs) / n
    return Figure((same - chance) / (1 - chance), n, left_out)


def fleiss_kappa(units: Sequence[Sequence[Hashable]]) -> Figure:
    """Fleiss' kappa over the labels of each unit by any raters.

    (P - P_e) / (1 - P_e): P the mean share of agreeing pairs of a unit, P_e = Σ p² over the shares
    of all labels. Units with fewer than two labels are left out; units may have different numbers
    of labels, with equal numbers it is Fleiss' own formula.
    """
    kept = [Counter(label for label in unit if label is not None) for unit in units]
    rated = [counts for counts in kept if counts.total() >= 2]
    left_out = len(units) - len(rated)
    if not rated:
        return undefined("no unit has two labels", left_out=left_out)
    total = sum(rated, Counter[Hashable]())
    chance = sum(count * count for count in total.values())
    if chance == total.total() ** 2:
        return undefined(ONE_LABEL, n=len(rated), left_out=left_out)
    expected = chance / total.total() ** 2
    observed = sum(map(_pairs_agreeing, rated)) / len(rated)
    return Figure((observed - expected) / (1 - expected), len(rated), left_out)


def _pairs_agreeing(counts: Counter[Hashable]) -> float:
    n = counts.total()
    return (sum(count * count for count in counts.values()) - n) / (n * (n - 1))


def _both(
    first: Sequence[Label | None], second: Sequence[Label | None]
) -> tuple[list[tuple[Label, Label]], int]:
    """The units that both labelled, and how many are left out."""
    if len(first) != len(second):
        raise StatisticsError(
            f"one rater has {len(first)} labels and the other {len(second)}; each unit needs both"
        )
    pairs = [(a, b) for a, b in zip(first, second, strict=True) if a is not None and b is not None]
    return pairs, len(first) - len(pairs)
