"""Krippendorff's alpha: agreement of any number of raters, with labels missing, on any scale."""

from collections import Counter
from collections.abc import Sequence
from enum import StrEnum
from math import isfinite

from rubricstudio.core.errors import StatisticsError
from rubricstudio.core.statistics.figures import Figure, undefined


class ScaleLevel(StrEnum):
    """What a difference of two values means."""

    NOMINAL = "nominal"
    ORDINAL = "ordinal"
    INTERVAL = "interval"


def krippendorff_alpha(units: Sequence[Sequence[float | None]], level: ScaleLevel) -> Figure:
    """1 - D_o / D_e over the pairs of values within units and over all values.

    A unit is the values of one thing by any raters, ``None`` where there is none; units with fewer
    than two values pair nothing and are left out. The difference of two values is 0 or 1 for
    nominal, the squared difference for interval, and for ordinal the square of the number of values
    from one to the other, both ends counted half. Raises :class:`StatisticsError` for a value that
    is not finite.
    """
    rated = [[value for value in unit if value is not None] for unit in units]
    paired = [values for values in rated if len(values) >= 2]
    left_out = len(units) - len(paired)
    if any(not isfinite(value) for values in paired for value in values):
        raise StatisticsError("a value that is not finite cannot be compared")
    if not paired:
        return undefined("no unit has two values", left_out=left_out)
    total = Counter(value for values in paired for value in values)
    places = _positions(total, level)
    observed = sum(_within(values, places, level) for values in paired)
    expected = _spread(total, places, level) / (total.total() - 1)
    if expected == 0:
        return undefined(
            "every value is the same, so nothing can differ", n=len(paired), left_out=left_out
        )
    return Figure(1 - observed / expected, len(paired), left_out)


def _positions(total: Counter[float], level: ScaleLevel) -> dict[float, float]:
    """Where values lie, so that the squared distance of two is their difference on this level.

    For ordinal that is the middle rank: from one value to another there are as many ranks as there
    are values between, with half of each end.
    """
    if level is not ScaleLevel.ORDINAL:
        return {value: value for value in total}
    middles, before = {}, 0
    for value in sorted(total):
        middles[value] = before + total[value] / 2
        before += total[value]
    return middles


def _within(values: list[float], places: dict[float, float], level: ScaleLevel) -> float:
    return _spread(Counter(values), places, level) / (len(values) - 1)


def _spread(counts: Counter[float], places: dict[float, float], level: ScaleLevel) -> float:
    """The differences of all ordered pairs of values, summed."""
    n = counts.total()
    if level is ScaleLevel.NOMINAL:
        return float(n * n - sum(count * count for count in counts.values()))
    middle = sum(places[value] * count for value, count in counts.items()) / n
    # Σ over ordered pairs of (x - y)² is 2n Σ (x - mean)², which loses no digits to large values.
    return 2 * n * sum(count * (places[value] - middle) ** 2 for value, count in counts.items())
