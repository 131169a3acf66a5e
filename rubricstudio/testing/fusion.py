"""Every fusion rule a second time, in plain Python: lists, loops, and no shared code.

Slow on purpose and written from the formulas alone. Tests hold the fast rules to it, and the
conformance vectors of a bundle come from it. It takes complete scores (criteria by responses) and
gives the rewards; what the rules do with missing scores is not repeated here.
"""

import math
from collections.abc import Sequence

Row = Sequence[float]
Rows = Sequence[Row]


def weighted_sum(scores: Rows, weights: Row) -> list[float]:
    """sum w s / sum w."""
    total = sum(weights)
    return [
        sum(weight * row[i] for weight, row in zip(weights, scores, strict=True)) / total
        for i in range(len(scores[0]))
    ]


def uniform(scores: Rows) -> list[float]:
    """The mean over criteria."""
    return weighted_sum(scores, [1.0] * len(scores))


def points(scores: Rows, weights: Row) -> list[float]:
    """sum w s / sum of positive w, kept in 0 to 1."""
    possible = sum(weight for weight in weights if weight > 0)
    earned = [
        sum(weight * row[i] for weight, row in zip(weights, scores, strict=True))
        for i in range(len(scores[0]))
    ]
    return [min(max(one / possible, 0.0), 1.0) for one in earned]


def gated(scores: Rows, weights: Row, rules: Sequence[int], pass_at: float = 1.0) -> list[float]:
    """The weighted sum of what is no rule, or 0 where a rule fails."""
    rest = [k for k in range(len(scores)) if k not in rules]
    sums = weighted_sum([scores[k] for k in rest], [weights[k] for k in rest])
    return [
        one if all(scores[k][i] >= pass_at for k in rules) else 0.0 for i, one in enumerate(sums)
    ]


def z_row(row: Row) -> list[float]:
    """(s - mean) / (sample deviation + 1e-4); 0 for a single response."""
    if len(row) < 2:
        return [0.0] * len(row)
    mean = sum(row) / len(row)
    deviation = math.sqrt(sum((value - mean) ** 2 for value in row) / (len(row) - 1))
    return [(value - mean) / (deviation + 1e-4) for value in row]


def zscore(scores: Rows, weights: Row) -> list[float]:
    """sum w z / sum w."""
    return weighted_sum([z_row(row) for row in scores], weights)


def gdpo(batch: Sequence[tuple[Rows, Row]]) -> tuple[list[list[float]], list[list[float]]]:
    """Sums of weighted z by group, and the advantages over the batch."""
    sums = [
        [
            sum(weight * z_row(row)[i] for weight, row in zip(weights, scores, strict=True))
            for i in range(len(scores[0]))
        ]
        for scores, weights in batch
    ]
    pool = [value for group in sums for value in group]
    if len(pool) < 2:
        return sums, [[0.0] * len(group) for group in sums]
    mean = sum(pool) / len(pool)
    deviation = math.sqrt(sum((value - mean) ** 2 for value in pool) / (len(pool) - 1))
    return sums, [[(value - mean) / (deviation + 1e-4) for value in group] for group in sums]


def focal(scores: Rows, weights: Row, gamma: float = 1.0) -> list[float]:
    """The weighted sum with weights w (1 - mean score)^gamma, rescaled to the sum of w."""
    tilted = [
        weight * (1 - sum(row) / len(row)) ** gamma
        for weight, row in zip(weights, scores, strict=True)
    ]
    if sum(tilted) <= 0:
        return weighted_sum(scores, weights)
    return weighted_sum(scores, [one * sum(weights) / sum(tilted) for one in tilted])


LEAKS = {"weak_prerequisite": 0.6, "strong_prerequisite": 0.2, "trigger": 0.0}


def gear(
    scores: Rows, weights: Row, edges: Sequence[tuple[int, int, str]], mode: str = "dag"
) -> list[float]:
    """Each criterion times what its prerequisites let through, as points."""

    def carried(k: int, i: int) -> float:
        value = scores[k][i]
        for parent, child, kind in edges:
            if child != k or mode == "flat":
                continue
            if mode == "hard":
                value *= 1.0 if scores[parent][i] >= 0.5 else 0.0
            else:
                through = carried(parent, i)
                value *= through + (1 - through) * LEAKS[kind]
        return value

    possible = sum(weight for weight in weights if weight > 0)
    return [
        sum(weights[k] * carried(k, i) for k in range(len(scores))) / possible
        for i in range(len(scores[0]))
    ]


def bucketed(
    scores: Rows, weights: Row, buckets: Sequence[str], coefficients: dict[str, float]
) -> list[float]:
    """sum a S / sum a W over buckets."""
    factors = [
        weight * coefficients[bucket] for weight, bucket in zip(weights, buckets, strict=True)
    ]
    return weighted_sum(scores, factors)


def length_penalty(ratio: float) -> float:
    """Piecewise: 0, then a tenth of the excess over 1.4, then 0.04 and 0.08 of that over 1.8."""
    if ratio <= 1.4:
        return 0.0
    if ratio <= 1.8:
        return 0.1 * (ratio - 1.4)
    return 0.04 + 0.08 * min(ratio - 1.8, 1.0)


def hybrid(
    scores: Rows, weights: Row, checks: Rows, overall: Row | None, alpha: float = 1.0
) -> list[float]:
    """(s_r + s_c + alpha s_g) over the coefficients of what there is."""
    rewards = []
    for i in range(len((scores or checks or [overall or ()])[0])):
        parts: list[tuple[float, float]] = []
        if scores:
            parts.append((1.0, weighted_sum(scores, weights)[i]))
        if checks:
            parts.append((1.0, sum(row[i] for row in checks) / len(checks)))
        if overall is not None:
            parts.append((alpha, min(max(overall[i] / 10, 0.0), 1.0)))
        rewards.append(sum(q * s for q, s in parts) / sum(q for q, _ in parts))
    return rewards


def ordinal(
    scores: Rows, weights: Row, rho: float = 1.0, tie_margin: float = 0.0
) -> tuple[list[float], list[list[float]]]:
    """Rewards and utilities of RLVR2 without attributes."""
    utilities = [utilities_of(row, rho, tie_margin) for row in scores]
    return weighted_sum(utilities, weights), utilities


def utilities_of(row: Row, rho: float = 1.0, margin: float = 0.0) -> list[float]:
    """The MAP Bradley-Terry utilities of one criterion, one coordinate at a time until still.

    Each coordinate's own equation ``sum (O - sigma) = rho u`` is solved by bisection, for its left
    side falls as u rises.
    """
    size = len(row)
    noise = 1e-9 * (max(row) - min(row))
    won = [
        [1.0 if a - b > margin + noise else 0.0 if b - a > margin + noise else 0.5 for b in row]
        for a in row
    ]
    utilities = [0.0] * size
    for _ in range(10_000):
        moved = 0.0
        for i in range(size):
            value = _solve(i, utilities, won[i], rho)
            moved = max(moved, abs(value - utilities[i]))
            utilities[i] = value
        if moved < 1e-12:
            break
    return utilities


def _solve(i: int, utilities: Row, won: Row, rho: float) -> float:
    def excess(value: float) -> float:
        return (
            sum(
                won[j] - 1 / (1 + math.exp(utilities[j] - value)) for j in range(len(won)) if j != i
            )
            - rho * value
        )

    low, high = -len(won) / rho, len(won) / rho
    for _ in range(200):
        middle = (low + high) / 2
        if excess(middle) > 0:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def gate(rewards: Row, levels: Row, margin: float = 0.1) -> list[float]:
    """From the best level down: a worse response stays below all better ones by the margin."""
    result = list(rewards)
    for level in sorted(set(levels)):
        better = [result[i] for i in range(len(result)) if levels[i] < level]
        if level <= 0 or not better:
            continue
        for i in range(len(result)):
            if levels[i] == level:
                result[i] = min(result[i], min(better) - margin)
    return result


WEIGHTS = {"critical": 5.0, "core": 5.0, "important": 2.0, "highlight": 1.0}


def pair_score(judged: Sequence[tuple[str, float]], rule: str = "veto_full") -> float:
    """The score of one comparison from its tiers and scores."""
    veto = sum(score for tier, score in judged if tier == "critical")
    decided = [(tier, score) for tier, score in judged if score != 0]
    if rule == "veto_full" and veto != 0:
        return min(max(veto, -2.0), 2.0)
    if rule == "code_veto":
        if any(tier == "critical" for tier, _ in decided):
            return veto
        earned = sum(WEIGHTS[tier] * score for tier, score in decided)
        return earned / (sum(WEIGHTS[tier] for tier, _ in decided) + 1e-6)
    return sum(WEIGHTS[tier] * score for tier, score in judged) / sum(
        WEIGHTS[tier] for tier, _ in judged
    )
