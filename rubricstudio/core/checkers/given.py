"""What published files give with a prompt, as constraints and criteria.

Pure functions over the ``given`` of a prompt: instruction ids with their arguments (IFEval,
IFBench, M-IFEval), rubric rows with points (HealthBench), checklists (WritingBench). An instruction
becomes a constraint of ``ifeval/1`` under its own id; in ``studio/1`` it becomes a type that states
the same, where there is one. One that is not checked is refused by the registry, so that it stays
visible and is never taken as followed.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from rubricstudio.core.errors import SpecError
from rubricstudio.core.types import IFEVAL, Constraint, Criterion, Json, Polarity, Scale

Arguments = Mapping[str, Any]
Asked = tuple[str, dict[str, Json]]
"""A constraint type and its parameters."""

_CONSTRAINED_RESPONSES: Final = (
    "My answer is yes.",
    "My answer is no.",
    "My answer is maybe.",
)
_PARAGRAPH_DIVIDER: Final = "***"
_OPERATORS: Final = {"at least": "ge", "less than": "lt"}


def instruction_constraints(
    instruction_ids: Sequence[str],
    kwargs: Sequence[Arguments | None],
    *,
    dialect: str = IFEVAL,
) -> list[Constraint]:
    """One constraint per instruction of an IFEval, IFBench or M-IFEval row, in order.

    Arguments that are null are absent. Raises :class:`SpecError` when the two lists do not belong
    together, or hold something else than ids and objects.
    """
    if len(instruction_ids) != len(kwargs):
        raise SpecError(
            f"the row has {len(instruction_ids)} instruction ids and {len(kwargs)} sets of "
            "arguments; each instruction needs its own"
        )
    pairs = zip(instruction_ids, kwargs, strict=True)
    return [_constraint(instruction, arguments, dialect) for instruction, arguments in pairs]


def _constraint(instruction: str, arguments: Arguments | None, dialect: str) -> Constraint:
    if arguments is not None and not isinstance(arguments, Mapping):
        raise SpecError(
            f"the arguments of {instruction!r:.60} are {arguments!r:.40}; they have to be an object"
        )
    given = {name: value for name, value in (arguments or {}).items() if value is not None}
    exact = _exact(instruction, given) if dialect != IFEVAL else None
    kind, params = exact or (instruction, given)
    return Constraint(kind, params, evidence=f"given as {instruction}", dialect=dialect)


def _exact(instruction: str, given: Arguments) -> Asked | None:
    """The type of ``studio/1`` that states the same; ``None`` without one, or its arguments."""
    try:
        return _READERS[instruction](given)
    except (KeyError, TypeError, ValueError):
        return None


def _bound(given: Arguments, number: str) -> dict[str, Json]:
    return {"op": _OPERATORS[given["relation"]], "value": int(given[number])}


def _occurrences(text: str, given: Arguments, number: str, relation: str) -> Asked:
    """How often a text occurs; these files count substrings in any case."""
    count, operator = int(given[number]), _OPERATORS[given[relation]]
    params: dict[str, Json] = {"phrases": [text], "match": "substring"}
    if operator == "lt" and count == 1:
        return "not_contain", params
    if operator == "lt":
        return "contain", {**params, "min_count": 0, "max_count": count - 1}
    return "contain", {**params, "min_count": count}


def _first_word(given: Arguments) -> Asked:
    return "nth_paragraph_begin_with", {
        "n": int(given["nth_paragraph"]),
        "text": given["first_word"],
        "paragraphs": int(given["num_paragraphs"]),
        "divider": "\n\n",
    }


def _paragraphs(given: Arguments) -> Asked:
    count = int(given["num_paragraphs"])
    return "paragraph_count", {"op": "eq", "value": count, "divider": _PARAGRAPH_DIVIDER}


def _word_range(given: Arguments) -> Asked:
    low, high = int(given["min_words"]), int(given["max_words"])
    return "word_count", {"op": "between", "value": low, "high": high}


_READERS: Final[Mapping[str, Callable[[Arguments], Asked]]] = {
    "keywords:existence": lambda given: (
        "contain",
        {"phrases": list(given["keywords"]), "match": "substring"},
    ),
    "keywords:forbidden_words": lambda given: (
        "not_contain",
        {"phrases": list(given["forbidden_words"])},
    ),
    "keywords:frequency": lambda given: _occurrences(
        given["keyword"], given, "frequency", "relation"
    ),
    "keywords:letter_frequency": lambda given: _occurrences(
        given["letter"], given, "let_frequency", "let_relation"
    ),
    "punctuation:no_comma": lambda _: ("not_contain", {"phrases": [","], "match": "substring"}),
    "detectable_format:constrained_response": lambda _: (
        "contain",
        {"phrases": list(_CONSTRAINED_RESPONSES), "match": "exact", "require": "any"},
    ),
    "combination:repeat_prompt": lambda given: (
        "begin_with",
        {"text": given["prompt_to_repeat"], "match": "substring"},
    ),
    "startend:end_checker": lambda given: (
        "end_with",
        {"text": given["end_phrase"], "match": "substring"},
    ),
    "length_constraints:number_words": lambda given: ("word_count", _bound(given, "num_words")),
    "length_constraints:number_sentences": lambda given: (
        "sentence_count",
        _bound(given, "num_sentences"),
    ),
    "length_constraints:number_paragraphs": _paragraphs,
    "length_constraints:nth_paragraph_first_word": _first_word,
    "count:word_count_range": _word_range,
}


def healthbench_criteria(rubrics: Iterable[Mapping[str, Any]]) -> list[Criterion]:
    """One criterion per rubric row: points become weight and polarity, the axis the bucket.

    The weight is the size of the points and the polarity their sign. A row of a shared cluster is
    keyed by its cluster, so that statistics run over prompts; others are numbered in order.
    Raises :class:`SpecError` with the number of the row that cannot be read.
    """
    return [_pointed(number, row) for number, row in enumerate(rubrics, start=1)]


def _pointed(number: int, row: Mapping[str, Any]) -> Criterion:
    points, text = row.get("points"), row.get("criterion")
    if isinstance(points, bool) or not isinstance(points, int | float) or not points:
        raise SpecError(f"rubric row {number} has the points {points!r:.40}; they are not 0")
    tags = tuple(str(tag) for tag in row.get("tags") or ())
    named = dict(tag.split(":", 1) for tag in tags if ":" in tag)
    return Criterion(
        key=named.get("cluster", f"item-{number:02d}"),
        text=text if isinstance(text, str) else "",
        weight=abs(points),
        polarity=Polarity.POSITIVE if points > 0 else Polarity.NEGATIVE,
        scale=Scale.POINTS,
        bucket=named.get("axis", ""),
        tags=tags,
    )


_BANDS: Final = ("1-2", "3-4", "5-6", "7-8", "9-10")


def writingbench_criteria(checklist: Iterable[Mapping[str, Any]]) -> list[Criterion]:
    """One criterion of ten levels per entry of a checklist; its bands become the anchors.

    Raises :class:`SpecError` with the number of the entry that cannot be read.
    """
    return [_listed(number, entry) for number, entry in enumerate(checklist, start=1)]


def _listed(number: int, entry: Mapping[str, Any]) -> Criterion:
    name, description = entry.get("name"), entry.get("criteria_description")
    if not isinstance(name, str) or not isinstance(description, str):
        raise SpecError(f"checklist entry {number} needs a name and a criteria_description")
    return Criterion(
        key=f"item-{number:02d}",
        text=f"{name.strip()}: {description.strip()}",
        scale=Scale.LEVELS,
        levels=10,
        anchors={band: str(entry[band]) for band in _BANDS if entry.get(band)},
        tags=(name.strip(),),
    )
