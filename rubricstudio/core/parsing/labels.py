"""The task label of a prompt, which picks the plug-in of the rubric template."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Final

from rubricstudio.core.parsing.objects import number_of, read_object
from rubricstudio.core.parsing.reply import Parsed, Reply, Unusable
from rubricstudio.core.types import UnscoredReason

GENERAL: Final = "general"
LEAST_CONFIDENCE: Final = 0.6
"""Below this the label falls back to ``general``: a broad rubric beats a wrong narrow one."""


@dataclass(frozen=True, slots=True)
class TaskLabel:
    """``label`` is what counts; ``said`` is what the model said, with its confidence in 0..1."""

    label: str
    said: str
    confidence: float
    secondary: str | None = None


def parse_label(reply: Reply, *, labels: Collection[str], reference: str) -> Parsed[TaskLabel]:
    """Read ``{"confidence", "id", "label", "secondary"}``; unsure means ``general``."""
    try:
        found = read_object(
            reply, reference=reference, required=("label", "confidence"), optional=("secondary",)
        )
        said = _known(found.fields["label"], labels)
        second = found.fields.get("secondary")
        secondary = None if second is None else _known(second, labels)
        confidence = number_of(found.fields["confidence"], "confidence", low=0, high=1)
    except Unusable as problem:
        return problem.parsed()
    sure = confidence >= LEAST_CONFIDENCE
    value = TaskLabel(said if sure else GENERAL, said, confidence, secondary)
    return Parsed(value, flags=found.flags + (() if sure else ("low_confidence",)))


def _known(said: Any, labels: Collection[str]) -> str:
    if not isinstance(said, str):
        raise Unusable(
            UnscoredReason.UNPARSABLE, f"the label is {said!r:.60}, and a name was asked"
        )
    if said not in labels:
        raise Unusable(UnscoredReason.OFF_SCALE, f"{said!r:.60} is none of the labels asked")
    return said
