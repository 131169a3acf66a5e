"""The registry of constraint types: data that says what can be checked, and how.

A constraint is data, never code. Its type names an entry here; the entry declares the parameters
and makes a pure function of the document view out of them. The same module runs in the
application, in the scoring service and in a trainer's process, so all give the same outcomes.

A constraint's dialect chooses the table of types, and with it how its text is read. To add a type:
declare it in ``studio_types``, or in ``ifeval``, and write its function beside its kin.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from rubricstudio.core.checkers import ifeval
from rubricstudio.core.checkers.answers import Check
from rubricstudio.core.checkers.constraint_type import ConstraintType
from rubricstudio.core.checkers.params import read_params
from rubricstudio.core.checkers.segmentation import REVISION, SEGMENTATION, DocumentView
from rubricstudio.core.checkers.studio_types import STUDIO_TYPES
from rubricstudio.core.errors import ConstraintError, RefusedConstraint, SpecError
from rubricstudio.core.types import IFEVAL, CheckCause, CheckOutcome, CheckResult, Constraint

REGISTRY_VERSION: Final = f"{SEGMENTATION}.{REVISION} {IFEVAL}.{ifeval.REVISION}"
"""The dialects, each with the revision of all that could change an outcome; written into a bundle,
whichever of them its constraints use, for they are one module and travel together."""

TYPES: Final[Mapping[str, ConstraintType]] = {one.name: one for one in STUDIO_TYPES}
"""Every constraint type of ``studio/1`` by name, the 11 of paper 000, Table 14 first."""

_TABLES: Final = {SEGMENTATION: TYPES, IFEVAL: ifeval.IFEVAL_TYPES}


def find_type(name: str, dialect: str) -> ConstraintType | None:
    """What the registry says about a type of a dialect; ``None`` when it is not checked."""
    return _TABLES[dialect].get(name)


def find_named(name: str) -> ConstraintType | None:
    """The type of a name in whichever dialect; ids of instructions hold a colon, others none."""
    return TYPES.get(name) or ifeval.IFEVAL_TYPES.get(name)


def refusal(constraint: Constraint) -> str | None:
    """Why no checker answers this constraint, as a sentence; ``None`` when one does."""
    if find_type(constraint.type, constraint.dialect) is not None:
        return None
    if constraint.dialect == IFEVAL:
        why = ifeval.REFUSED.get(
            constraint.type, "it is no instruction of IFEval, IFBench or M-IFEval"
        )
        return f"{constraint.type} is not checked: {why}"
    return f"{constraint.type} is not a checked constraint type; those are {', '.join(TYPES)}"


def normalised(constraint: Constraint) -> Constraint:
    """The constraint with every default written out, so that a later default changes nothing.

    Raises :class:`RefusedConstraint` for a type or dialect that is not checked, and
    :class:`ConstraintError` for parameters or options that are wrong.
    """
    kind = find_type(constraint.type, constraint.dialect)
    if kind is None:
        reason = refusal(constraint) or ""
        raise RefusedConstraint(reason, type=constraint.type, dialect=constraint.dialect)
    params = read_params(constraint.type, kind.params, constraint.params)
    options = read_params(f"{constraint.type} (options)", kind.options, constraint.options)
    try:
        settled = kind.settle(params)
    except ConstraintError as error:
        raise ConstraintError(f"{constraint.type} cannot be: {error}") from None
    asked = {name: value for name, value in settled.items() if value is not None}
    return replace(constraint, params=asked, options=options)


@dataclass(frozen=True, slots=True)
class Checker:
    """A constraint made ready to check many responses."""

    constraint: Constraint
    function: Check
    raw: bool = False
    """Whether the function tells places in the raw response, and not in the view's text."""

    def check(self, view: DocumentView) -> CheckOutcome:
        """The outcome for one response. An empty response fails every checker."""
        if view.empty:
            return CheckOutcome.answered(False, "the response is empty")
        answer = self.function(view)
        if answer.passed is None:
            return CheckOutcome(CheckResult.UNAVAILABLE, CheckCause.ABSTAINED, answer.reason)
        spans = answer.spans if self.raw or not answer.spans else view.raw_spans(answer.spans)
        return CheckOutcome.answered(answer.passed, answer.reason, spans)


def compile_checker(constraint: Constraint) -> Checker:
    """A checker for a constraint; raises as :func:`normalised` does."""
    complete = normalised(constraint)
    kind = _TABLES[complete.dialect][complete.type]
    absent = dict.fromkeys(kind.params)
    function = kind.make({**absent, **complete.params}, complete.options)
    return Checker(complete, function, raw=complete.dialect == IFEVAL)


class Checklist:
    """The constraints of a spec, made ready once to check many responses.

    A constraint that is refused, or wrong, is unavailable for every response, with the sentence
    that says so; the others are checked.
    """

    def __init__(self, constraints: Iterable[Constraint]) -> None:
        self._parts = [_ready(constraint) for constraint in constraints]

    def check(self, view: DocumentView) -> list[CheckOutcome]:
        """The outcomes for one response, in the order of the constraints."""
        return [part.check(view) if isinstance(part, Checker) else part for part in self._parts]


def check_all(constraints: Iterable[Constraint], view: DocumentView) -> list[CheckOutcome]:
    """The outcomes of constraints for a single response; see :class:`Checklist` for many."""
    return Checklist(constraints).check(view)


def _ready(constraint: Constraint) -> Checker | CheckOutcome:
    try:
        return compile_checker(constraint)
    except SpecError as error:
        return CheckOutcome(CheckResult.UNAVAILABLE, CheckCause.REFUSED, str(error))
