"""How steady a judge is with itself: the same thing asked several times."""

from collections import Counter
from collections.abc import Hashable, Sequence

from rubricstudio.core.statistics.figures import Figure, undefined


def self_consistency(units: Sequence[Sequence[Hashable]]) -> Figure:
    """The chance that two repeats of one unit, drawn at random, agree; the mean over units.

    Unscored repeats (``None``) do not enter; units with fewer than two scored ones are left out.
    """
    kept = [Counter(label for label in unit if label is not None) for unit in units]
    shares = [
        sum(count * (count - 1) for count in counts.values()) / (n * (n - 1))
        for counts in kept
        if (n := counts.total()) >= 2
    ]
    left_out = len(units) - len(shares)
    if not shares:
        return undefined("no unit was scored twice", left_out=left_out)
    return Figure(sum(shares) / len(shares), len(shares), left_out)


def sign_flips(runs: Sequence[Sequence[float]]) -> tuple[Figure, Figure]:
    """How often the sign of an advantage flips between runs (paper 000, section 4): pairwise, any.

    ``runs`` are the advantages of the same responses, run by run. Pairwise is the share of pairs of
    runs with opposite signs, averaged over responses; any is the share of responses that have both
    signs. Zero is never opposite to anything.
    """
    responses = list(zip(*runs, strict=True))
    if len(runs) < 2 or not responses:
        reason = "fewer than two runs" if len(runs) < 2 else "no responses"
        return undefined(reason), undefined(reason)
    pairs = len(runs) * (len(runs) - 1) / 2
    opposite = [
        sum(value > 0 for value in values) * sum(value < 0 for value in values)
        for values in responses
    ]
    n = len(responses)
    return (
        Figure(sum(count / pairs for count in opposite) / n, n),
        Figure(sum(count > 0 for count in opposite) / n, n),
    )
