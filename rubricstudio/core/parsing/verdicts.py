"""The judge's answer about one criterion (paper 000, section 3.3: yes, part, no)."""

from dataclasses import dataclass
from typing import Any, Final

from rubricstudio.core.errors import SettingsError
from rubricstudio.core.parsing.objects import read_object, text_of
from rubricstudio.core.parsing.reply import Parsed, Reply, Unusable, final_content
from rubricstudio.core.parsing.thinking import strip_thinking
from rubricstudio.core.types import (
    BINARY_SCORES,
    TERNARY_SCORES,
    Criterion,
    Scale,
    UnscoredReason,
)

NO_EVIDENCE: Final = "no_evidence"
COERCED: Final = "coerced"


@dataclass(frozen=True, slots=True)
class Judgement:
    """A usable answer: its code, its score in the criterion's range, and what backs it.

    ``probabilities`` are those of the allowed answers, summing to 1, in the output mode
    ``label``; ``None`` where the server gives none.
    """

    answer: str
    score: float
    evidence: str = ""
    reason: str = ""
    probabilities: tuple[tuple[str, float], ...] | None = None


def answers_of(criterion: Criterion) -> tuple[str, ...]:
    """The codes that answer a criterion: yes, part, no; yes, no; or the levels 1 to n.

    Raises :class:`SettingsError` for scales that a judge of one response does not answer.
    """
    if criterion.scale == Scale.TERNARY:
        return tuple(TERNARY_SCORES)
    if criterion.scale in (Scale.BINARY, Scale.POINTS):
        return tuple(BINARY_SCORES)
    if criterion.scale == Scale.LEVELS and criterion.levels is not None:
        return tuple(str(level) for level in range(1, criterion.levels + 1))
    raise SettingsError(
        f"the criterion {criterion.key!r} has the scale {criterion.scale}, "
        "which no judge of a single response answers"
    )


def score_of(criterion: Criterion, answer: str) -> float:
    """An answer's score: evenly spread over [low, high], the worst answer at ``low``.

    yes, part, no are 1, 0.5, 0 of that range; level k of n is (k - 1) / (n - 1).
    The polarity is not applied here: the answer says whether the thing described is there.
    """
    ordered = answers_of(criterion)
    if answer not in ordered:
        raise SettingsError(f"{answer!r:.60} does not answer the criterion {criterion.key!r}")
    if criterion.scale == Scale.LEVELS:
        share = ordered.index(answer) / (len(ordered) - 1)
    else:
        share = TERNARY_SCORES[answer]
    return criterion.low + share * (criterion.high - criterion.low)


def parse_judgement(reply: Reply, *, criterion: Criterion, reference: str) -> Parsed[Judgement]:
    """Read ``{"evidence", "id", "reason", "verdict"}``; a verdict without evidence is flagged."""
    try:
        found = read_object(
            reply, reference=reference, required=("verdict",), optional=("evidence", "reason")
        )
        answer, coerced = _answer(found.fields["verdict"], criterion)
        evidence = text_of(found.fields, "evidence")
        reason = text_of(found.fields, "reason")
    except Unusable as problem:
        return problem.parsed()
    value = Judgement(answer, score_of(criterion, answer), evidence, reason)
    return Parsed(value, flags=found.flags + coerced + (() if evidence else (NO_EVIDENCE,)))


def parse_choice(reply: Reply, *, criterion: Criterion) -> Parsed[Judgement]:
    """Read an answer that is nothing but one of the allowed words (output mode ``label``)."""
    try:
        answer, coerced = _answer(strip_thinking(final_content(reply)), criterion)
    except Unusable as problem:
        return problem.parsed()
    value = Judgement(
        answer, score_of(criterion, answer), probabilities=_known(reply.probabilities, criterion)
    )
    return Parsed(value, flags=coerced)


def _answer(said: Any, criterion: Criterion) -> tuple[str, tuple[str, ...]]:
    """The code of an answer, and the flag ``coerced`` where case, space or type was adapted."""
    if isinstance(said, bool) or not isinstance(said, str | int):
        raise Unusable(UnscoredReason.UNPARSABLE, f"the verdict is {said!r:.60}, no answer")
    code = str(said).strip().lower()
    if code not in answers_of(criterion):
        allowed = ", ".join(answers_of(criterion))
        raise Unusable(
            UnscoredReason.OFF_SCALE, f"the verdict is {said!r:.60}, and one of {allowed} was asked"
        )
    return code, () if code == said else (COERCED,)


def _known(
    probabilities: tuple[tuple[str, float], ...] | None, criterion: Criterion
) -> tuple[tuple[str, float], ...] | None:
    if probabilities is None or {name for name, _ in probabilities} != set(answers_of(criterion)):
        return None
    return probabilities
