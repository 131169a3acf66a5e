"""One verdict with everything behind it: each call's template, request, raw answer and cost."""

from __future__ import annotations

from apps.calls.services import ExplainedCall, explain_call
from apps.judging import selectors
from apps.judging.models import Verdict

__all__ = ["ExplainedCall", "explain_verdict"]


def explain_verdict(verdict: Verdict) -> list[ExplainedCall]:
    """Every attempt behind a verdict, the first one first."""
    return [explain_call(call) for call in selectors.attempts_of(verdict)]
