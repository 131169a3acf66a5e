"""The values everything else is built on: frozen, comparable, checked when they are made."""

from rubricstudio.core.types.constraints import DIALECTS, IFEVAL, STUDIO, Constraint
from rubricstudio.core.types.criteria import (
    BINARY_SCORES,
    TERNARY_SCORES,
    Criterion,
    Polarity,
    Scale,
    Scope,
    ScopeKind,
    Source,
)
from rubricstudio.core.types.messages import Json, Message, Role, messages_hash
from rubricstudio.core.types.specs import SpecValue
from rubricstudio.core.types.verdicts import (
    CheckCause,
    CheckOutcome,
    CheckResult,
    FailureCause,
    Span,
    UnscoredReason,
    Verdict,
    VerdictState,
)

__all__ = [
    "BINARY_SCORES",
    "DIALECTS",
    "IFEVAL",
    "STUDIO",
    "TERNARY_SCORES",
    "CheckCause",
    "CheckOutcome",
    "CheckResult",
    "Constraint",
    "Criterion",
    "FailureCause",
    "Json",
    "Message",
    "Polarity",
    "Role",
    "Scale",
    "Scope",
    "ScopeKind",
    "Source",
    "Span",
    "SpecValue",
    "UnscoredReason",
    "Verdict",
    "VerdictState",
    "messages_hash",
]
