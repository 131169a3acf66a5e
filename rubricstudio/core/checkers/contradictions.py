"""Constraints of one spec that no response can satisfy together.

What is found is certain: two counts that leave no number, a text that is asked for and forbidden,
two different beginnings. What is not found may still be impossible.
"""

from collections.abc import Callable, Iterable, Sequence
from itertools import combinations
from typing import Final, NamedTuple

from rubricstudio.core.checkers.answers import shown
from rubricstudio.core.checkers.counting import BOUND_PARAMS, Bound, read_bound
from rubricstudio.core.checkers.languages import LANGUAGES
from rubricstudio.core.checkers.registry import compile_checker, normalised
from rubricstudio.core.checkers.segmentation import DocumentView, fold, normalise
from rubricstudio.core.errors import SpecError
from rubricstudio.core.types import STUDIO, CheckResult, Constraint


class Contradiction(NamedTuple):
    """Two constraints, by their places from 0, that no response satisfies together, and why."""

    first: int
    second: int
    sentence: str


Find = Callable[[Constraint, Constraint], str | None]
"""Why two constraints, in either order, exclude each other."""

_CASELESS: Final = ("Han", "Kana", "Hangul", "Arabic", "Hebrew", "Thai", "Devanagari")
_FORBIDDING: Final = ("not_contain", "no_punctuation")
_EDGES: Final = (
    *("begin_with", "end_with"),
    *("nth_paragraph_begin_with", "nth_paragraph_end_with"),
)
_FOLDED: Final = {"case": "ignore", "quotes": "fold", "markdown": "raw"}
_QUOTES: Final = "\"“”„«「『＂'‘‹"
_JSON_STARTS: Final = '{["`-0123456789tfn'
_MARKDOWN: Final = ("list_item_count", "heading_count", "highlight_count", "code_block_count")


def contradictions(constraints: Iterable[Constraint]) -> list[Contradiction]:
    """The pairs that exclude each other, in the order of the constraints.

    Constraints of another dialect, and such as no checker answers, are passed over.
    """
    ready = [(at, one) for at, one in enumerate(map(_ready, constraints)) if one is not None]
    return [
        Contradiction(first, second, sentence)
        for (first, one), (second, other) in combinations(ready, 2)
        if (sentence := _sentence(one, other)) is not None
    ]


def _ready(constraint: Constraint) -> Constraint | None:
    if constraint.dialect != STUDIO:
        return None
    try:
        return normalised(constraint)
    except SpecError:
        return None


def _sentence(one: Constraint, other: Constraint) -> str | None:
    for find in _FINDERS:
        sentence = find(one, other) or find(other, one)
        if sentence:
            return sentence
    return None


def _counts(one: Constraint, other: Constraint) -> str | None:
    bounds = _bound(one), _bound(other)
    if one.type != other.type or None in bounds or _apart(one) != _apart(other):
        return None
    first, second = (bound for bound in bounds if bound is not None)
    if _overlap(first, second):
        return None
    return f"{_named(one)}: {_asked(first)} and {_asked(second)} cannot both be"


def _bound(constraint: Constraint) -> Bound | None:
    if "op" not in constraint.params:
        return None
    return read_bound({**dict.fromkeys(BOUND_PARAMS), **constraint.params})


def _apart(constraint: Constraint) -> tuple[object, ...]:
    """What is counted, as far as it is said by more than the type."""
    rest = {name: one for name, one in constraint.params.items() if name not in BOUND_PARAMS}
    return rest, constraint.options


def _overlap(one: Bound, other: Bound) -> bool:
    low = max(one.low or 0, other.low or 0)
    highs = [bound.high for bound in (one, other) if bound.high is not None]
    if not highs:
        return True
    excluded = {one.but, other.but}
    # Two numbers at most are excluded, so three in a row leave one.
    return any(number not in excluded for number in range(low, min(*highs, low + 2) + 1))


def _asked(bound: Bound) -> str:
    return bound.asked.replace(" asked", "", 1)


def _named(constraint: Constraint) -> str:
    return constraint.type.replace("_", " ")


def _forbidden(one: Constraint, other: Constraint) -> str | None:
    """A text that has to be there holds what must not be."""
    if one.type not in _FORBIDDING or one.options["scope"] != "whole" or _is_looser(one, other):
        return None
    checker = compile_checker(one)
    texts = _required(other)
    failing = [text for text in texts if _fails(checker.check(DocumentView(text)).result)]
    # Of phrases of which any will do, one that is allowed is enough.
    if not failing or (other.params.get("require") == "any" and len(failing) < len(texts)):
        return None
    return f"{_named(other)} asks for {shown(failing[0])}, and {_named(one)} forbids it"


def _is_looser(one: Constraint, other: Constraint) -> bool:
    """Whether `other` is satisfied by texts in which `one` does not find its phrases."""
    if one.type == "no_punctuation":
        return False
    if one.params["match"] == "word" and other.params.get("match") != "word":
        return True
    strict = one.params["match"] == "exact" or one.options != {**one.options, **_FOLDED}
    return strict and (other.params.get("match"), other.options) != (
        one.params["match"],
        one.options,
    )


def _fails(result: CheckResult) -> bool:
    return result is CheckResult.FAILED


def _required(constraint: Constraint) -> list[str]:
    """The texts that a response holds when it satisfies the constraint."""
    params = constraint.params
    if constraint.type == "contain" and not params["min_count"]:
        return []
    texts = params.get("phrases", []) if constraint.type in ("contain", "phrase_order") else []
    if constraint.type.startswith(("begin_", "end_", "nth_", "repeat_prompt", "each_part_text")):
        texts = [params["text"]]
    return [str(text) for text in texts] if isinstance(texts, list) else []


def _edges(one: Constraint, other: Constraint) -> str | None:
    """Two texts at the same end of the response or paragraph, of which neither holds the other."""
    if not _edge(one) or _edge(one) != _edge(other):
        return None
    texts = [_flat(str(each.params["text"])) for each in (one, other)]
    short, long = sorted(texts, key=len)
    at_start = "begin" in one.type
    if long.startswith(short) if at_start else long.endswith(short):
        return None
    verb = "begin" if at_start else "end"
    first, second = (shown(str(each.params["text"])) for each in (one, other))
    return f"it cannot {verb} with both {first} and {second}"


def _edge(constraint: Constraint) -> tuple[object, ...]:
    """Which end of what the text stands at; empty where it stands at none."""
    kind = constraint.type
    if kind not in _EDGES:
        return ()
    rest = {name: one for name, one in constraint.params.items() if name not in ("text", "match")}
    return kind, rest, constraint.options


def _flat(text: str) -> str:
    return " ".join(fold(normalise(text)).split()).rstrip(".!?…。！？")


def _beyond(one: Constraint, other: Constraint) -> str | None:
    """A paragraph that is asked for where there are not so many."""
    if one.type != "paragraph_count" or not other.type.startswith("nth_paragraph_"):
        return None
    bound = _bound(one)
    if bound is None or _rule(one) != _rule(other):
        return None
    n, total = other.params["n"], other.params.get("paragraphs")
    number = abs(n) if isinstance(n, int) else 0
    if isinstance(total, int) and not bound.holds(total):
        return f"paragraph count: exactly {total} and {_asked(bound)} cannot both be"
    if bound.high is not None and number > bound.high:
        return f"paragraph {n} is asked for, and {_asked(bound)} paragraphs"
    return None


def _rule(constraint: Constraint) -> tuple[object, ...]:
    """What counts as a paragraph."""
    options = constraint.options
    return (constraint.params.get("divider"), options["headings"], options["list_items"])


def _languages(one: Constraint, other: Constraint) -> str | None:
    if one.type != "language":
        return None
    name, script = LANGUAGES[str(one.params["language"])]
    if other.type == "language" and other.params["language"] != one.params["language"]:
        second = LANGUAGES[str(other.params["language"])].name
        return f"it cannot be both in {name} and in {second}"
    if script in _CASELESS and (other.type == "letter_case" or _wants(other, "capital_word_count")):
        return f"{_named(other)} asks for a case, and {name} is written without one"
    return None


def _wants(constraint: Constraint, *kinds: str) -> bool:
    """Whether at least one of a thing is asked for."""
    bound = _bound(constraint) if constraint.type in kinds else None
    return bound is not None and not bound.holds(0)


def _cases(one: Constraint, other: Constraint) -> str | None:
    if one.type != "letter_case":
        return None
    form = one.params["form"]
    if other.type == "letter_case" and {form, other.params["form"]} == {"lower", "upper"}:
        return "it cannot be both in upper case and in lower case"
    if form == "lower" and _wants(other, "capital_word_count"):
        return "capital word count asks for capitals, and all is to be in lower case"
    if other.options.get("case") != "match" and other.params.get("match") != "exact":
        return None
    checker = compile_checker(one)
    texts = _required(other) if form != "title" else []
    for text in texts:
        if _fails(checker.check(DocumentView(text)).result):
            return f"{_named(other)} asks for {shown(text)}, and all is to be in {form} case"
    return None


def _forms(one: Constraint, other: Constraint) -> str | None:
    """JSON alone, plain text and quotation marks leave no room for other forms."""
    needs = other.type == "table" or _wants(other, *_MARKDOWN)
    begins = str(other.params["text"]).strip() if other.type == "begin_with" else ""
    if one.type == "json_only":
        if needs or other.type in ("quotation", "title", "named_sections", "postscript"):
            return f"{_named(other)} asks for more than JSON, and JSON alone is asked for"
        if begins and begins[0] not in _JSON_STARTS:
            return f"no JSON begins with {shown(begins)}"
    plain = one.type == "markdown" and one.params["use"] == "none"
    if plain and (needs or (other.type == "markdown" and other.params["use"] == "some")):
        return f"{_named(other)} asks for Markdown, and plain text is asked for"
    if one.type == "quotation" and begins and begins[0] not in _QUOTES:
        return f"it cannot begin with {shown(begins)} and stand in quotation marks"
    return None


_FINDERS: Final[Sequence[Find]] = (
    _counts,
    _forbidden,
    _edges,
    _beyond,
    _languages,
    _cases,
    _forms,
)
