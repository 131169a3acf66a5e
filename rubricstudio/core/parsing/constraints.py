"""The constraints that a model found in a prompt, each held to what the prompt really says.

A constraint stands only on a quotation that occurs in the prompt, and on numbers that the prompt
names. What fails that is dropped with a sentence, and the others stand.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from rubricstudio.core.errors import SpecError
from rubricstudio.core.parsing.numbers import numbers_in
from rubricstudio.core.parsing.objects import read_object, text_of
from rubricstudio.core.parsing.reply import Parsed, Reply, Unusable
from rubricstudio.core.types import Constraint, Json, UnscoredReason

KEYS: Final = frozenset({"type", "params", "source_quote", "strictness"})
UNSAID_NUMBERS: Final[Mapping[str, frozenset[int]]] = {
    "n": frozenset({1, -1}),
    "min_count": frozenset({1}),
}
"""Numbers a prompt says without naming them: the first, the last, at least once."""


@dataclass(frozen=True, slots=True)
class DroppedConstraint:
    """A row of the answer that no checker may rest on, and why."""

    row: Json
    detail: str


@dataclass(frozen=True, slots=True)
class ExtractedConstraints:
    """What stands, and what was dropped. Both empty means that the prompt asks for nothing."""

    constraints: tuple[Constraint, ...]
    dropped: tuple[DroppedConstraint, ...] = ()


def parse_constraints(
    reply: Reply, *, prompt: str, types: Collection[str], reference: str
) -> Parsed[ExtractedConstraints]:
    """Read ``{"constraints": [{type, params, source_quote, strictness}] | null, "id"}``.

    ``prompt`` is the text the quotations have to come from, white space folded.
    """
    try:
        found = read_object(reply, reference=reference, required=("constraints",))
        rows = found.fields["constraints"]
        if rows is not None and not isinstance(rows, list):
            raise Unusable(UnscoredReason.UNPARSABLE, f"constraints is {rows!r:.60}, no list")
    except Unusable as problem:
        return problem.parsed()
    kept: dict[str, Constraint] = {}
    dropped: list[DroppedConstraint] = []
    for row in rows or ():
        try:
            one = _constraint(row, prompt, types)
            kept.setdefault(one.content_hash(), one)
        except (_Dropped, SpecError, Unusable) as problem:
            dropped.append(DroppedConstraint(row, str(problem)))
    return Parsed(ExtractedConstraints(tuple(kept.values()), tuple(dropped)), flags=found.flags)


class _Dropped(Exception):
    """Why one row does not stand."""


def _constraint(row: Any, prompt: str, types: Collection[str]) -> Constraint:
    if not isinstance(row, dict) or not {"type", "source_quote"} <= set(row) <= KEYS:
        raise _Dropped("the row has other keys than type, params, source_quote, strictness")
    kind, quote = text_of(row, "type"), text_of(row, "source_quote")
    if kind not in types:
        raise _Dropped(f"{kind!r:.60} is none of the types asked")
    if not quote or _folded(quote) not in _folded(prompt):
        raise _Dropped(f"the quotation {quote!r:.80} is not in the prompt")
    params = row.get("params") or {}
    if not isinstance(params, dict):
        raise _Dropped(f"the params of {kind} are {params!r:.60}, no object")
    # A schema with fixed keys makes the model write null for what the type does not take.
    said = {name: value for name, value in params.items() if value is not None}
    _check_numbers(said, numbers_in(quote) | numbers_in(prompt))
    return Constraint(type=kind, params=said, evidence=quote)


def _check_numbers(params: Mapping[str, Any], named: frozenset[int]) -> None:
    # "fewer than 100" is at most 99, "more than 100" at least 101.
    offset = {"le": 1, "ge": -1}.get(str(params.get("op")), 0)
    for name, value in _numbers(params):
        allowed = named | UNSAID_NUMBERS.get(name, frozenset())
        if not {value, value + offset, -value if name == "n" else value} & allowed:
            raise _Dropped(f"{name} is {value}, a number that the prompt does not name")


def _numbers(params: Mapping[str, Any]) -> Iterator[tuple[str, int | float]]:
    for name, value in params.items():
        for one in value if isinstance(value, list) else [value]:
            # A tolerance belongs to the checker's definition of "about", not to the prompt.
            if isinstance(one, int | float) and not isinstance(one, bool) and name != "tolerance":
                yield name, one


def _folded(text: str) -> str:
    return " ".join(text.split())
