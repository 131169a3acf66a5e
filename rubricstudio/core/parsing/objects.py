"""One strict JSON object out of an answer, or the reason why there is none."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from rubricstudio.core.parsing.reply import Reply, Unusable, final_content
from rubricstudio.core.parsing.thinking import readings
from rubricstudio.core.types import UnscoredReason

FENCE: Final = re.compile(r"^[ \t]*```[\w-]*[ \t]*\n(.*?)\n[ \t]*```[ \t]*$", re.M | re.S)


@dataclass(frozen=True, slots=True)
class FoundObject:
    """The object of an answer; ``prose`` tells that a fence held it with words before it."""

    fields: Mapping[str, Any]
    prose: bool

    @property
    def flags(self) -> tuple[str, ...]:
        return ("prose_around",) if self.prose else ()


def read_object(
    reply: Reply, *, reference: str, required: Sequence[str], optional: Sequence[str] = ()
) -> FoundObject:
    """The one JSON object of the answer, its keys and the echoed ``id`` checked.

    Raises :class:`Unusable`: unparsable without an object or with other keys, ambiguous with
    anything after it, with a key given twice or with the id of something else.
    """
    content = final_content(reply)
    problems: list[Unusable] = []
    for text in readings(content):
        try:
            found = _whole_object(text)
            _check_keys(found.fields, required=("id", *required), optional=optional)
            _check_id(found.fields["id"], reference)
        except Unusable as problem:
            problems.append(problem)
        else:
            return found
    raise problems[-1]


def _whole_object(text: str) -> FoundObject:
    if text.startswith("{"):
        return FoundObject(_decode(text), prose=False)
    fences = list(FENCE.finditer(text))
    if not fences:
        raise Unusable(UnscoredReason.UNPARSABLE, f"the answer is no JSON object: {text:.80}")
    if len(fences) > 1 or text[fences[0].end() :].strip():
        raise Unusable(UnscoredReason.AMBIGUOUS, "the answer holds more than one fenced block")
    return FoundObject(_decode(fences[0][1].strip()), prose=bool(text[: fences[0].start()].strip()))


def _decode(text: str) -> Mapping[str, Any]:
    try:
        value, end = DECODER.raw_decode(text)
    except (json.JSONDecodeError, RecursionError) as error:
        raise Unusable(UnscoredReason.UNPARSABLE, f"the answer is no JSON: {error}") from None
    if not isinstance(value, dict):
        raise Unusable(UnscoredReason.UNPARSABLE, "the answer is JSON, but no object")
    if text[end:].strip():
        raise Unusable(
            UnscoredReason.AMBIGUOUS, f"something follows the object: {text[end:].strip():.60}"
        )
    return value


def _without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise Unusable(UnscoredReason.AMBIGUOUS, "the object gives one key twice")
    return fields


def _no_constant(name: str) -> Any:
    raise Unusable(UnscoredReason.UNPARSABLE, f"the object holds {name}, which JSON has not")


DECODER: Final = json.JSONDecoder(
    object_pairs_hook=_without_doubles, parse_constant=_no_constant, strict=False
)


def _check_keys(
    fields: Mapping[str, Any], *, required: Sequence[str], optional: Sequence[str]
) -> None:
    missing = [key for key in required if key not in fields]
    if missing:
        raise Unusable(UnscoredReason.UNPARSABLE, f"the object lacks {', '.join(missing)}")
    unknown = sorted(set(fields) - {*required, *optional})
    if unknown:
        raise Unusable(UnscoredReason.UNPARSABLE, f"the object has the unknown key {unknown[0]!r}")


def _check_id(echoed: Any, reference: str) -> None:
    if echoed != reference:
        raise Unusable(
            UnscoredReason.AMBIGUOUS,
            f"the answer carries the id {echoed!r:.60}, and {reference!r} was asked",
        )


def text_of(fields: Mapping[str, Any], key: str) -> str:
    """A text field, stripped; absent and null are empty, any other kind is unparsable."""
    value = fields.get(key)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise Unusable(UnscoredReason.UNPARSABLE, f"{key} is {value!r:.60}, and text was asked")
    return value.strip()


def number_of(value: Any, key: str, *, low: float, high: float) -> float:
    """A finite number in [low, high]; another kind is unparsable, another number off the scale."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Unusable(UnscoredReason.UNPARSABLE, f"{key} is {value!r:.60}, and a number was asked")
    if not low <= value <= high:
        raise Unusable(
            UnscoredReason.OFF_SCALE, f"{key} is {value}, and {low:g} to {high:g} was asked"
        )
    return float(value)
