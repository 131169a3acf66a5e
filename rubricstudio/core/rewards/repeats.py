"""Several verdicts on one item, by repeats or by several judges, become one.

The mean of the scores where they are graded; the majority where the answer is yes or no, and an
even split is unscored. Repeats that gave no verdict take no part. The spread is kept.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar, Final, NamedTuple

from rubricstudio.core.rewards.choices import Choice, read_kind
from rubricstudio.core.types import Scale, UnscoredReason, Verdict, VerdictState

BY_MAJORITY: Final = frozenset({Scale.BINARY, Scale.POINTS})


class RepeatKind(StrEnum):
    """How several verdicts become one."""

    MEAN_OR_MAJORITY = "mean_or_majority"


@dataclass(frozen=True)
class RepeatRule(Choice):
    """How several verdicts on one item become one."""

    NAME: ClassVar[str] = "repeats"

    kind: RepeatKind = RepeatKind.MEAN_OR_MAJORITY

    def __post_init__(self) -> None:
        object.__setattr__(self, "kind", read_kind("the kind of repeats", RepeatKind, self.kind))


class Combined(NamedTuple):
    """One verdict out of several; ``spread`` is the sample deviation of those that were scored."""

    verdict: Verdict
    spread: float | None


def combine_repeats(verdicts: Sequence[Verdict], scale: Scale) -> Combined:
    """One verdict out of several on the same item; with none scored, the first stands."""
    scored = [verdict for verdict in verdicts if verdict.state is VerdictState.SCORED]
    scores = [verdict.score for verdict in scored if verdict.score is not None]
    if not scores:
        missing = verdicts[0] if verdicts else Verdict.unscored(UnscoredReason.MISSING)
        return Combined(missing, None)
    if scale in BY_MAJORITY:
        return Combined(_majority(scored), _deviation(scores))
    answers = {verdict.answer for verdict in scored}
    answer = answers.pop() if len(answers) == 1 else "mean"
    return Combined(Verdict.scored(answer, math.fsum(scores) / len(scores)), _deviation(scores))


def _majority(scored: Sequence[Verdict]) -> Verdict:
    counts = Counter(verdict.score for verdict in scored)
    (score, most), *rest = counts.most_common()
    if rest and rest[0][1] == most:
        return Verdict.unscored(UnscoredReason.EVEN_SPLIT)
    return next(verdict for verdict in scored if verdict.score == score)


def _deviation(scores: Sequence[float]) -> float | None:
    if len(scores) < 2:
        return None
    mean = math.fsum(scores) / len(scores)
    return math.sqrt(math.fsum((score - mean) ** 2 for score in scores) / (len(scores) - 1))
