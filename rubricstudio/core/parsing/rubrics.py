"""The rubric that a model wrote for one prompt."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from rubricstudio.core.errors import SpecError
from rubricstudio.core.parsing.objects import number_of, read_object, text_of
from rubricstudio.core.parsing.reply import Parsed, Reply, Unusable
from rubricstudio.core.types import TERNARY_SCORES, Criterion, UnscoredReason

MOST_CRITERIA: Final = 12
KEYS: Final = frozenset({"id", "criterion", "weight", "type", "how_to_judge", "rationale"})


@dataclass(frozen=True, slots=True)
class RubricDraft:
    """Criteria on the ternary scale with integer weights 1 to 5, in the order written."""

    criteria: tuple[Criterion, ...]


def parse_rubric(
    reply: Reply, *, reference: str, at_most: int = MOST_CRITERIA
) -> Parsed[RubricDraft]:
    """Read ``{"criteria": [{id, criterion, weight, type, how_to_judge, rationale}], "id"}``.

    All or nothing: a rubric with one unreadable criterion is not the rubric the model meant.
    """
    try:
        found = read_object(reply, reference=reference, required=("criteria",))
        rows = _rows(found.fields["criteria"], at_most)
        criteria = tuple(_criterion(row, place) for place, row in enumerate(rows, 1))
        _check_distinct(criteria)
    except Unusable as problem:
        return problem.parsed()
    return Parsed(RubricDraft(criteria), flags=found.flags)


def _rows(rows: Any, at_most: int) -> list[Any]:
    if not isinstance(rows, list) or not rows:
        raise Unusable(UnscoredReason.UNPARSABLE, f"criteria is {rows!r:.60}, no list of criteria")
    if len(rows) > at_most:
        raise Unusable(
            UnscoredReason.OFF_SCALE, f"{len(rows)} criteria, and at most {at_most} were asked"
        )
    return rows


def _criterion(row: Any, place: int) -> Criterion:
    if not isinstance(row, dict) or not {"id", "criterion", "weight"} <= set(row) <= KEYS:
        raise Unusable(UnscoredReason.UNPARSABLE, f"criterion {place} has other keys than asked")
    weight = number_of(row["weight"], f"the weight of criterion {place}", low=1, high=5)
    if not weight.is_integer():
        raise Unusable(UnscoredReason.OFF_SCALE, f"the weight of criterion {place} is {weight}")
    kind = text_of(row, "type")
    try:
        return Criterion(
            key=text_of(row, "id"),
            text=text_of(row, "criterion"),
            weight=weight,
            anchors=_anchors(row.get("how_to_judge"), place),
            rationale=text_of(row, "rationale"),
            tags=(kind,) if kind else (),
        )
    except SpecError as error:
        raise Unusable(UnscoredReason.UNPARSABLE, f"criterion {place}: {error}") from None


def _anchors(given: Any, place: int) -> Mapping[str, str]:
    if given is None:
        return {}
    if not isinstance(given, dict) or not set(given) <= set(TERNARY_SCORES):
        raise Unusable(
            UnscoredReason.UNPARSABLE, f"how_to_judge of criterion {place} is not yes, part, no"
        )
    anchors = {answer: text_of(given, answer) for answer in TERNARY_SCORES}
    return {answer: text for answer, text in anchors.items() if text}


def _check_distinct(criteria: tuple[Criterion, ...]) -> None:
    keys = {one.key for one in criteria}
    texts = {" ".join(one.text.casefold().split()) for one in criteria}
    if len(keys) < len(criteria) or len(texts) < len(criteria):
        raise Unusable(UnscoredReason.AMBIGUOUS, "two criteria of the rubric are the same")
