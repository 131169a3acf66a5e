"""What is doubtful in one constraint, for who writes it: it can be checked, and still be wrong.

The registry refuses what no checker could answer. Doubts are about what it could: a number that is
not in the words that ask for it, a bound that every response keeps, or none.
"""

from typing import Final, NamedTuple

from rubricstudio.core.checkers.counting import read_bound
from rubricstudio.core.checkers.registry import find_type
from rubricstudio.core.checkers.said_numbers import said_numbers, says_numbers_readably
from rubricstudio.core.types import Constraint

_BY_OPERATOR: Final = {"le": 1, "ge": -1, "lt": -1, "gt": 1}
_BY_NAME: Final = {"min_count": -1, "max_count": 1}
"""Fewer than 10 may be written as at most 9, and more than 10 as at least 11."""


class Doubt(NamedTuple):
    """A sentence about one parameter."""

    param: str
    sentence: str


def doubts(constraint: Constraint, *, quote: str = "") -> list[Doubt]:
    """The doubts about a constraint with all defaults written out (``registry.normalised``).

    ``quote`` holds the words of the prompt that ask for it. Numbers are compared with nothing
    where it is empty, or in a language whose number words are not read.
    """
    found = _about_bounds(constraint)
    if says_numbers_readably(quote):
        found += _unsaid(constraint, quote)
    return found


def _about_bounds(constraint: Constraint) -> list[Doubt]:
    params = constraint.params
    if "op" not in params or "value" not in params:
        return []
    bound = read_bound({"high": None, "tolerance": None, **params})
    if bound.high is not None and bound.high <= 0:
        return [Doubt("value", "No response that says anything has 0 of them: ask for 1 or more.")]
    if bound.but is None and bound.high is None and (bound.low or 0) <= 0:
        return [Doubt("value", "Every response has at least 0: ask for 1 or more.")]
    return []


def _unsaid(constraint: Constraint, quote: str) -> list[Doubt]:
    said = said_numbers(quote)
    shift = _BY_OPERATOR.get(str(constraint.params.get("op")), 0)
    return [
        Doubt(name, f"The quoted words do not say {number:,}: quote those that do.")
        for name, number in asked_numbers(constraint).items()
        if not {number, number + _BY_NAME.get(name, shift)} & said
    ]


def asked_numbers(constraint: Constraint) -> dict[str, int]:
    """The whole numbers among the parameters, without 0 and defaults: no prompt says those."""
    kind = find_type(constraint.type, constraint.dialect)
    defaults = {name: param.default for name, param in kind.params.items()} if kind else {}
    return {
        name: value
        for name, value in constraint.params.items()
        if isinstance(value, int)
        and not isinstance(value, bool)
        and value not in (0, defaults.get(name))
    }
