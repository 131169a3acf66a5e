"""One verdict as a person reads it: what was judged, on what evidence, why, and by whom."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from apps.judging import selectors
from apps.judging.models import CellState, CheckOutcome, Verdict
from apps.judging.services.entering import BY_HAND
from apps.judging.services.explaining import ExplainedCall, explain_verdict
from apps.specs.models import Criterion
from rubricstudio.core.quoting import Excerpt, excerpt, find_quote
from rubricstudio.core.types import Scale, Scope, ScopeKind
from rubricstudio.core.types.criteria import RANGES


@dataclass(frozen=True)
class ToldVerdict:
    """A verdict with everything that its page shows.

    `evidence` is the response with the judge's quotation marked; `quote` the quotation itself, and
    `found` whether the response holds it. `reason` is the judge's sentence, or why there is no
    score. `stale` is empty, `changed` or `gone`: what became of its criterion in the newest spec.
    """

    verdict: Verdict
    characters: int
    evidence: Excerpt
    quote: str
    found: bool
    reason: str
    stale: str
    calls: list[ExplainedCall]

    @property
    def kind(self) -> str:
        """The shape of the verdict, and the tint of its evidence."""
        return kind_of(self.verdict)

    @property
    def bounds(self) -> tuple[float, float]:
        """The lowest and the highest score that there is."""
        return bounds_of(self.verdict)

    @property
    def last_call(self) -> ExplainedCall | None:
        return self.calls[-1] if self.calls else None

    @property
    def identity(self) -> dict[str, Any]:
        """The part of the judge's identity that gave this verdict."""
        role = "global" if self.verdict.criterion_id is None else "judge"
        found: dict[str, Any] = self.verdict.run.judge.get(role) or self.verdict.run.judge
        return found


def bounds_of(verdict: Verdict) -> tuple[float, float]:
    """The range of the scale that a verdict is on."""
    criterion = verdict.criterion
    return (criterion.lo, criterion.hi) if criterion else RANGES[Scale.GLOBAL]


def kind_of(verdict: Verdict) -> str:
    """How it is for the rollout: yes, part or no, of what is not wanted turned round; or a state.

    The worst score is no, the best one is yes, all between them is part.
    """
    if verdict.score is None:
        return str(verdict.state)
    low, high = bounds_of(verdict)
    criterion = verdict.criterion
    if criterion and criterion.polarity == Criterion.Polarity.NEGATIVE:
        low, high = high, low
    share = (verdict.score - low) / (high - low)
    return "yes" if share >= 1 else "no" if share <= 0 else "part"


def tell_verdict(verdict: Verdict) -> ToldVerdict:
    """Everything about one verdict; its rollout has its messages, its run and criterion are there.

    Texts that the retention policy dropped are None in its calls.
    """
    calls = explain_verdict(verdict)
    text = judged_text(verdict)
    quote = verdict.evidence if verdict.criterion_id is not None else ""
    spans = find_quote(quote, text)
    return ToldVerdict(
        verdict=verdict,
        characters=len(text),
        evidence=excerpt(text, spans),
        # A person writes a sentence, which need not quote.
        quote="" if _is_by_hand(verdict) and not spans else quote,
        found=bool(spans),
        reason=_reason(verdict, calls),
        stale=selectors.staleness_of(verdict),
        calls=calls,
    )


@dataclass(frozen=True)
class ToldOutcome:
    """What a checker said of a response, with the places in it that the answer comes from."""

    outcome: CheckOutcome
    characters: int
    evidence: Excerpt


def tell_outcome(outcome: CheckOutcome) -> ToldOutcome:
    """Everything about one outcome; its rollout has its messages."""
    text = final_text(outcome.rollout.messages)
    spans = [(start, end) for start, end in outcome.spans]
    return ToldOutcome(outcome, len(text), excerpt(text, spans))


def final_text(messages: Sequence[dict[str, str]]) -> str:
    """The last assistant turn: what a checker is shown of a response."""
    said = [one["content"] for one in messages if one["role"] == "assistant"]
    return said[-1] if said else ""


def judged_text(verdict: Verdict) -> str:
    """The part of the response that the criterion is about."""
    messages = verdict.rollout.messages
    said = [one["content"] for one in messages if one["role"] == "assistant"]
    scope = Scope.parse(verdict.criterion.scope) if verdict.criterion else Scope()
    if scope.kind is ScopeKind.CONVERSATION:
        return "\n\n".join(one["content"] for one in messages)
    if scope.turn is not None and scope.turn <= len(said):
        return str(said[scope.turn - 1])
    return final_text(messages)


def _is_by_hand(verdict: Verdict) -> bool:
    return BY_HAND in verdict.flags


def _reason(verdict: Verdict, calls: Sequence[ExplainedCall]) -> str:
    if verdict.evidence and (verdict.criterion_id is None or _is_by_hand(verdict)):
        return verdict.evidence
    if not calls:
        return ""
    call = calls[-1].call
    if verdict.state == CellState.FAILED:
        return call.error
    parsed = call.parsed or {}
    return str(parsed.get("reason") or parsed.get("detail") or call.refusal)
