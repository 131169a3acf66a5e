"""Constraints on the n-th line, sentence or word, and on what every part has in common."""

from collections.abc import Callable
from typing import Final

from rubricstudio.core.checkers.answers import Answer, Check, Values, counted, shown
from rubricstudio.core.checkers.constraint_type import ConstraintType
from rubricstudio.core.checkers.containing import FOLDING, MATCH, make_phrase
from rubricstudio.core.checkers.counting import (
    BOUND_PARAMS,
    read_bound,
    settle_bound,
)
from rubricstudio.core.checkers.params import Kind, Param
from rubricstudio.core.checkers.parts import (
    NAMES,
    UNIT,
    NoSentences,
    cut_off,
    find_parts,
)
from rubricstudio.core.checkers.phrases import FINAL_PUNCTUATION, Phrase
from rubricstudio.core.checkers.segmentation import DocumentView, TextView
from rubricstudio.core.errors import ConstraintError
from rubricstudio.core.types import Json, Span

WORD: Final = "word"
NO_SENTENCES: Final = Answer(None, "nothing but code and tables, so it has no sentences")

RELATION: Final = Param(
    Kind.CHOICE,
    "how the text stands in it: it begins with it, contains it, ends with it, or is it",
    required=True,
    choices=("begin_with", "contain", "end_with", "be"),
)
_VERBS: Final = {
    "begin_with": "begins with",
    "contain": "contains",
    "end_with": "ends with",
    "be": "is",
}


def nth_line(params: Values, options: Values) -> Check:
    """The n-th line that is not blank."""
    return _nth("line", params, options)


def nth_sentence(params: Values, options: Values) -> Check:
    """The n-th sentence; no answer when there is nothing but code and tables."""
    return _nth("sentence", params, options)


def nth_word(params: Values, options: Values) -> Check:
    """The n-th word."""
    return _nth(WORD, params, options)


def _nth(unit: str, params: Values, options: Values) -> Check:
    number, relation = params["n"], params["relation"]
    phrase = make_phrase(params["text"].strip(), params, options)
    asked = f"{phrase.named} asked"

    def check(view: DocumentView) -> Answer:
        try:
            spans = view.whole.word_spans if unit == WORD else find_parts(view.whole, unit)
        except NoSentences:
            return NO_SENTENCES
        if abs(number) > len(spans):
            return Answer(False, f"{counted(len(spans), unit)}, number {number} asked")
        span = spans[number - 1 if number > 0 else number]
        name = f"{unit} {number}"
        if cut_off(view, span) and relation in ("end_with", "be"):
            return Answer(False, f"{name} was cut off, so it has no end of its own", (span,))
        if fits(phrase, view.whole, span, relation):
            return Answer(True, f"{name} {_VERBS[relation]} {phrase.named}", (span,))
        seen = shown(view.text[span.start : span.end])
        return Answer(False, f"{name} is {seen}, {_VERBS[relation]} {asked}", (span,))

    return check


def fits(phrase: Phrase, view: TextView, span: Span, relation: str) -> bool:
    """Whether a phrase stands in a part as asked; final marks behind it are overlooked."""
    if relation == "contain":
        return bool(phrase.find(view, span))
    if relation == "begin_with":
        return phrase.at_start(view, span) is not None
    at_end = phrase.at_end(view, span)
    at_end = at_end or phrase.at_end(view, span, punctuation=False)
    if at_end is None or relation == "end_with":
        return at_end is not None
    return not view.text[span.start : at_end.start].strip(FINAL_PUNCTUATION + "([“‘«")


def each_part_count(params: Values, _: Values) -> Check:
    """Every part has a number of words, characters or sentences."""
    unit, of = params["unit"], params["of"]
    count, bound = _COUNTED[of], read_bound(params)

    def wrong(view: DocumentView, span: Span) -> str | None:
        number = count(view.text[span.start : span.end])
        return None if bound.holds(number) else f"has {counted(number, of)}, {bound.asked}"

    return _each(unit, wrong)


def _sentences(text: str) -> int:
    return len(TextView(text).sentences or ())


_COUNTED: Final[dict[str, Callable[[str], int]]] = {
    "word": lambda text: TextView(text).word_count,
    "character": len,
    "sentence": _sentences,
}


def settle_each_count(params: Values) -> dict[str, Json]:
    """A bound on something that a part can have; raises :class:`ConstraintError`."""
    if params["unit"] == params["of"] == "sentence":
        raise ConstraintError("a sentence has one sentence; count its words or characters")
    return settle_bound(params)


def each_part_text(params: Values, options: Values) -> Check:
    """Every part begins with the text, contains it or ends with it."""
    phrase = make_phrase(params["text"].strip(), params, options)
    relation = params["relation"]

    def wrong(view: DocumentView, span: Span) -> str | None:
        if fits(phrase, view.whole, span, relation):
            return None
        seen = shown(view.text[span.start : span.end])
        return f"is {seen}, {_VERBS[relation]} {phrase.named} asked"

    return _each(params["unit"], wrong)


def acrostic(params: Values, _: Values) -> Check:
    """The first letters of the parts, read in order, spell the word."""
    unit, word = params["unit"], _letters(params["word"])

    def check(view: DocumentView) -> Answer:
        try:
            spans = find_parts(view.whole, unit)
        except NoSentences:
            return NO_SENTENCES
        firsts = [_letters(view.text[span.start : span.end])[:1] for span in spans]
        spelt = "".join(firsts)
        told = f"the first letters spell {shown(spelt)}, {shown(word)} asked"
        return Answer(spelt == word, told)

    return check


def _letters(text: str) -> str:
    return "".join(filter(str.isalpha, text.casefold()))


def settle_acrostic(params: Values) -> dict[str, Json]:
    """A word with letters; raises :class:`ConstraintError`."""
    if not _letters(params["word"]):
        raise ConstraintError("the word has no letters that lines could begin with")
    return dict(params)


def different_starts(params: Values, _: Values) -> Check:
    """No two parts, or no two neighbours, begin with the same word."""
    unit, neighbours = params["unit"], params["neighbours"]

    def check(view: DocumentView) -> Answer:
        try:
            spans = find_parts(view.whole, unit)
        except NoSentences:
            return NO_SENTENCES
        before: list[str] = []
        for number, span in enumerate(spans, 1):
            first = next(iter(TextView(view.text[span.start : span.end]).words), "").casefold()
            if first and first in (before[-1:] if neighbours else before):
                told = f"{NAMES[unit]} {number} begins with {shown(first)} again"
                return Answer(False, told, (span,))
            before.append(first)
        return Answer(True, f"{counted(len(spans), NAMES[unit])} with different first words")

    return check


def _each(unit: str, wrong: Callable[[DocumentView, Span], str | None]) -> Check:
    """A check of every part; `wrong` says in a few words why one does not pass."""
    name = NAMES[unit]

    def check(view: DocumentView) -> Answer:
        try:
            spans = find_parts(view.whole, unit)
        except NoSentences:
            return NO_SENTENCES
        if not spans:
            return Answer(False, f"it has no {name}s")
        failing = [
            (number, span, told)
            for number, span in enumerate(spans, 1)
            if (told := wrong(view, span)) is not None
        ]
        if not failing:
            return Answer(True, f"all of {counted(len(spans), name)} as asked")
        number, span, told = failing[0]
        return Answer(False, f"{name} {number} {told}", (span,))

    return check


_NTH: Final = {
    "n": Param(Kind.POSITION, "which one: 1 is the first, -1 the last", required=True),
    "relation": RELATION,
    "text": Param(Kind.TEXT, "the text asked for", required=True),
    "match": MATCH,
}

TYPES: Final = (
    ConstraintType("nth_line", "has a text in its n-th line", _NTH, FOLDING, nth_line),
    ConstraintType("nth_sentence", "has a text in its n-th sentence", _NTH, FOLDING, nth_sentence),
    ConstraintType("nth_word", "has a text as its n-th word", _NTH, FOLDING, nth_word),
    ConstraintType(
        "each_part_count",
        "has parts of a certain length",
        {
            "unit": UNIT,
            "of": Param(
                Kind.CHOICE, "what is counted in each", required=True, choices=tuple(_COUNTED)
            ),
            **BOUND_PARAMS,
        },
        {},
        each_part_count,
        settle_each_count,
    ),
    ConstraintType(
        "each_part_text",
        "has a text in every part",
        {
            "unit": UNIT,
            "relation": RELATION,
            "text": Param(Kind.TEXT, "the text asked for", required=True),
            "match": MATCH,
        },
        FOLDING,
        each_part_text,
    ),
    ConstraintType(
        "acrostic",
        "spells a word with the first letters of its parts",
        {"word": Param(Kind.TEXT, "the word", required=True), "unit": UNIT},
        {},
        acrostic,
        settle_acrostic,
    ),
    ConstraintType(
        "different_starts",
        "begins no two parts with the same word",
        {
            "unit": UNIT,
            "neighbours": Param(
                Kind.FLAG, "whether only those next to each other differ", default=False
            ),
        },
        {},
        different_starts,
    ),
)
