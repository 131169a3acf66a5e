"""A response that somebody tries: what each constraint says of it, and where."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from django.utils.translation import gettext as _

from apps.specs.showing.evidence import Mark, MarkedResponse, marked_response
from apps.specs.showing.words import asked_words, type_words
from rubricstudio.core.checkers.contradictions import contradictions
from rubricstudio.core.types import CheckOutcome, CheckResult, Constraint


class Contradicting(NamedTuple):
    """Two constraints by their numbers, and why they cannot both be."""

    first: int
    second: int
    sentence: str


@dataclass(frozen=True)
class Asked:
    """A constraint that is tried: `typed` as it stands in the form, not as it was saved.

    `value` is None where what was typed is no constraint; `problem` says why it cannot be saved.
    """

    number: int
    type: str
    value: Constraint | None
    typed: bool = False
    problem: str = ""


@dataclass(frozen=True)
class Tried:
    """What came of one constraint."""

    asked: Asked
    outcome: CheckOutcome | None

    @property
    def type_words(self) -> str:
        value = self.asked.value
        return type_words(value) if value else self.asked.type.replace("_", " ")

    @property
    def words(self) -> str:
        return asked_words(self.asked.value) if self.asked.value else ""

    @property
    def result(self) -> str:
        return self.outcome.result.value if self.outcome else CheckResult.UNAVAILABLE.value

    @property
    def result_words(self) -> str:
        words = {
            CheckResult.PASSED.value: _("Passed"),
            CheckResult.FAILED.value: _("Failed"),
        }
        return words.get(self.result, _("Unavailable"))

    @property
    def reason(self) -> str:
        return self.outcome.reason if self.outcome else ""


@dataclass(frozen=True)
class TriedResponse:
    """All constraints, and the response with what they found.

    `contradictions` are those of what was typed; of what was saved the page tells itself.
    """

    rows: list[Tried]
    marked: MarkedResponse
    characters: int
    contradictions: list[Contradicting]

    @property
    def passed(self) -> int:
        return sum(one.result == CheckResult.PASSED for one in self.rows)

    @property
    def answered(self) -> int:
        return sum(one.result != CheckResult.UNAVAILABLE for one in self.rows)


def shown_tried(
    asked: Sequence[Asked], outcomes: Sequence[CheckOutcome], response: str
) -> TriedResponse:
    """`outcomes` are of those that have a value, in their order."""
    came = iter(outcomes)
    rows = [Tried(one, next(came) if one.value is not None else None) for one in asked]
    marks = [
        Mark(*span, one.asked.number, one.result)
        for one in rows
        if one.outcome is not None
        for span in one.outcome.spans
    ]
    typed = {one.number for one in asked if one.typed}
    found = [
        one
        for one in contradicting([(row.number, row.value) for row in asked if row.value])
        if {one.first, one.second} & typed
    ]
    return TriedResponse(rows, marked_response(response, marks), len(response), found)


def contradicting(constraints: Sequence[tuple[int, Constraint]]) -> list[Contradicting]:
    """The pairs among numbered constraints that no response can satisfy together."""
    numbers = [number for number, _constraint in constraints]
    return [
        Contradicting(numbers[one.first], numbers[one.second], one.sentence)
        for one in contradictions(constraint for _number, constraint in constraints)
    ]
