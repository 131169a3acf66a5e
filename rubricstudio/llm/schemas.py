"""The JSON schemas of the answers. Keys come in the order in which they are to be written."""

from collections.abc import Sequence
from typing import Any, Final

from rubricstudio.core.checkers.generated import GENERATED
from rubricstudio.core.checkers.studio_types import TABLE_14

Schema = dict[str, Any]

LONGEST_EVIDENCE: Final = 300
LONGEST_SENTENCE: Final = 300
LONGEST_CODE: Final = 6_000
ASKED_TYPES: Final = (*(one.name for one in TABLE_14), "char_count")
"""The constraint types that a model is asked for; rules find the others in plain phrasings."""
COUNTED: Final = tuple(name for name in ASKED_TYPES if name.endswith("_count"))


def _text(longest: int = LONGEST_SENTENCE) -> Schema:
    return {"type": "string", "maxLength": longest}


def _one_of(words: Sequence[str]) -> Schema:
    return {"type": "string", "enum": list(words)}


def _object(**properties: Schema) -> Schema:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _list(items: Schema, most: int, fewest: int = 1) -> Schema:
    return {"type": "array", "items": items, "minItems": fewest, "maxItems": most}


ECHO: Final = _one_of(["{id}"])
"""The id to echo; the request has the call's own in its place (see ``render``)."""


def word_object(words: Sequence[str]) -> Schema:
    return _object(word=_one_of(words))


def verdict(answers: Sequence[str]) -> Schema:
    """Evidence first: a verdict written before its grounds is justified, not reached."""
    return _object(
        evidence=_text(LONGEST_EVIDENCE), id=ECHO, reason=_text(), verdict=_one_of(answers)
    )


def label(labels: Sequence[str]) -> Schema:
    return _object(
        id=ECHO,
        label=_one_of(labels),
        secondary={"anyOf": [_one_of(labels), {"type": "null"}]},
        confidence={"type": "number", "minimum": 0, "maximum": 1},
    )


def rubric(most: int) -> Schema:
    """Whole numbers as an enumeration, which every grammar engine holds to."""
    row = _object(
        id=_text(12),
        criterion=_text(400),
        weight={"type": "integer", "enum": [1, 2, 3, 4, 5]},
        type=_text(40),
        how_to_judge=_object(yes=_text(), part=_text(), no=_text()),
        rationale=_text(),
    )
    return _object(id=ECHO, criteria=_list(row, most))


def code(most_tests: int = 8) -> Schema:
    """Code first: a test that is written before it says what the code would have to be."""
    test = _object(response=_text(600), expected={"type": "boolean"})
    source = {"anyOf": [_text(LONGEST_CODE), {"type": "null"}]}
    return _object(id=ECHO, code=source, tests=_list(test, most_tests, fewest=0))


def constraints(most: int = 12, *, generated: bool = False) -> Schema:
    """One form of row per kind of parameters, so that a constrained model cannot mix them.

    Only the parameters that a prompt is likely to state are asked for. ``generated`` lets the model
    name requirements that none of the types expresses.
    """
    count = {"type": "integer"}
    phrase = _text(120)
    rows = [
        _row(["contain", "not_contain"], phrases=_list(phrase, 6)),
        _row(["begin_with", "end_with"], text=phrase),
        _row(COUNTED, op=_one_of(["eq", "lt", "le", "gt", "ge", "approx"]), value=count),
        _row(COUNTED, op=_one_of(["between"]), value=count, high=count),
        _row([name for name in ASKED_TYPES if name.startswith("nth_")], n=count, text=phrase),
    ]
    if generated:
        rows.append(_row([GENERATED], requirement=_text(LONGEST_SENTENCE)))
    found = {"anyOf": [_list({"anyOf": rows}, most), {"type": "null"}]}
    return _object(id=ECHO, constraints=found)


def _row(types: Sequence[str], **params: Schema) -> Schema:
    return _object(
        type=_one_of(types),
        source_quote=_text(200),
        strictness=_one_of(["hard"]),
        params=_object(**params),
    )
