"""Constraints that rules found beside those that a model found in the same prompt."""

from collections.abc import Sequence
from typing import NamedTuple

from rubricstudio.core.checkers.registry import normalised
from rubricstudio.core.errors import SpecError
from rubricstudio.core.types import Constraint


class Compared(NamedTuple):
    """What both found once, as the rules state it, and what each found alone."""

    rules: tuple[Constraint, ...]
    model: tuple[Constraint, ...]


def compare(rules: Sequence[Constraint], model: Sequence[Constraint]) -> Compared:
    """All that rules found, and what of the model's is not the same as one of those."""
    known = {one.content_hash() for one in rules}
    return Compared(tuple(rules), tuple(one for one in model if _hash(one) not in known))


def disagree(one: Constraint, other: Constraint) -> bool:
    """Whether two constraints read the same words of a prompt, or the same type, differently."""
    if one.type != other.type or _hash(one) == _hash(other):
        return False
    first, second = (" ".join(each.evidence.split()).casefold() for each in (one, other))
    return bool(first and second) and (first in second or second in first)


def _hash(constraint: Constraint) -> str:
    try:
        return normalised(constraint).content_hash()
    except SpecError:
        return constraint.content_hash()
