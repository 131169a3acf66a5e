"""Generated checkers: code for what no constraint type expresses, known by its hash.

The code itself runs in ``rubricstudio.sandbox`` and nowhere else. Here is what is said of it: the
constraint that names it, and when its record keeps it from counting. Nothing here runs anything.
"""

from dataclasses import dataclass
from typing import Any, Final

from rubricstudio.core.canonical import sha256_hex
from rubricstudio.core.errors import ConstraintError
from rubricstudio.core.types import STUDIO, CheckCause, CheckOutcome, CheckResult, Constraint, Json

GENERATED: Final = "generated"
"""The constraint type whose checker is code; the registry of types refuses it."""

HARD: Final = frozenset(
    {CheckCause.TIMEOUT, CheckCause.MEMORY, CheckCause.CRASH, CheckCause.FORGED}
)
ERRORS: Final = HARD | {CheckCause.EXCEPTION}
"""The causes that say a checker did not work; not asking it, or not being able to, says nothing."""

MOST_HARD: Final = 3
MOST_ERRORS: Final = 0.01
ERRORS_COUNT_FROM: Final = 200
CONSTANT_FROM: Final = 500


@dataclass(frozen=True, slots=True)
class Example:
    """A response, and what a checker that is right says of it."""

    response: str
    expected: bool


def code_sha256(code: str) -> str:
    """What a generated checker is known by."""
    return sha256_hex(code.encode("utf-8", "surrogatepass"))


def wanted_constraint(
    requirement: str, *, evidence: str = "", asked: Constraint | None = None, dialect: str = STUDIO
) -> Constraint:
    """A requirement that waits for code; ``asked`` is the refused constraint that states it."""
    text = " ".join(requirement.split())
    if not text:
        raise ConstraintError("a generated checker needs the requirement in words")
    params: dict[str, Json] = {"requirement": text}
    if asked is not None:
        params["asked"] = {"type": asked.type, "params": dict(asked.params)}
    return Constraint(GENERATED, params, evidence=evidence, dialect=dialect)


def with_code(constraint: Constraint, code: str) -> Constraint:
    """The constraint bound to its code, so that other code makes it another constraint."""
    params = {**constraint.params, "code_sha256": code_sha256(code)}
    return Constraint(GENERATED, params, {}, constraint.evidence, constraint.dialect)


def code_of(constraint: Constraint) -> str | None:
    """The hash of the code that answers a constraint; ``None`` where it is data, or has none."""
    if constraint.type != GENERATED:
        return None
    found: Any = constraint.params.get("code_sha256")
    return found if isinstance(found, str) else None


def code_path(sha256: str) -> str:
    """Where a bundle holds the code of that hash."""
    return f"checkers/{sha256}.py"


@dataclass(frozen=True, slots=True)
class Record:
    """How a generated checker has done so far, over all runs of one project."""

    passed: int = 0
    failed: int = 0
    errors: int = 0
    hard: int = 0

    @property
    def runs(self) -> int:
        return self.passed + self.failed + self.errors

    @property
    def quarantine(self) -> str:
        """Why it must not count until somebody looked at it; empty while it may."""
        if self.hard >= MOST_HARD:
            return f"it ran out of time, ran out of memory or crashed {self.hard} times"
        if self.runs >= ERRORS_COUNT_FROM and self.errors > MOST_ERRORS * self.runs:
            return f"it failed to answer {self.errors:,} of {self.runs:,} times"
        return ""

    @property
    def constant(self) -> str:
        """A flag, not a verdict: it has said the same of every response so far."""
        answers = self.passed + self.failed
        if answers < CONSTANT_FROM or (self.passed and self.failed):
            return ""
        return f"it said {'yes' if self.passed else 'no'} to all {answers:,} responses"


def record_of(outcomes: list[CheckOutcome]) -> Record:
    """What some outcomes add to a record; abstentions and quarantine add nothing."""
    answered = [one.result for one in outcomes]
    causes = [one.cause for one in outcomes]
    return Record(
        passed=answered.count(CheckResult.PASSED),
        failed=answered.count(CheckResult.FAILED),
        errors=sum(cause in ERRORS for cause in causes),
        hard=sum(cause in HARD for cause in causes),
    )


def quarantined(reason: str) -> CheckOutcome:
    """The outcome of a checker that is in quarantine."""
    told = f"in quarantine until somebody has looked at it: {reason}"
    return CheckOutcome(CheckResult.UNAVAILABLE, CheckCause.QUARANTINED, told)
