"""Constraints on phrases that a response contains, avoids, begins or ends with."""

from collections.abc import Mapping
from itertools import chain
from typing import Final

from rubricstudio.core.checkers.answers import Answer, Check, Values, counted, shown, shown_end
from rubricstudio.core.checkers.counting import MOST_SPANS, selector
from rubricstudio.core.checkers.params import Kind, Param
from rubricstudio.core.checkers.phrases import FINAL_PUNCTUATION, Match, Phrase, trim
from rubricstudio.core.checkers.segmentation import DocumentView, Folding, TextView
from rubricstudio.core.errors import ConstraintError
from rubricstudio.core.types import Json, Span

MATCH: Final = Param(
    Kind.CHOICE,
    "word: stands on its own; substring: anywhere; exact: anywhere, character by character",
    default=Match.WORD.value,
    choices=tuple(match.value for match in Match),
)

FOLDING: Final[Mapping[str, Param]] = {
    "case": Param(
        Kind.CHOICE,
        "whether upper and lower case are the same",
        default="ignore",
        choices=("ignore", "match"),
    ),
    "quotes": Param(
        Kind.CHOICE,
        "whether curly and straight quotes are the same",
        default="fold",
        choices=("fold", "keep"),
    ),
}

FINAL_MARKS: Final = Param(
    Kind.FLAG, "whether punctuation behind the text is overlooked", default=False
)


def make_phrase(text: str, params: Values, options: Values) -> Phrase:
    """A phrase that is looked for as the constraint says."""
    folding = Folding(case=options["case"] == "ignore", quotes=options["quotes"] == "fold")
    return Phrase(text, Match(params["match"]), folding)


def spans_of(options: Values, spans: list[Span]) -> tuple[Span, ...]:
    """The first spans, unless rendering moved the text away from where it was written."""
    return () if options["markdown"] == "rendered" else tuple(spans[:MOST_SPANS])


def settle_counts(params: Values) -> dict[str, Json]:
    """Numbers of occurrences that agree; raises :class:`ConstraintError`."""
    low, high = params["min_count"], params["max_count"]
    if high is None and low == 0:
        raise ConstraintError("at least 0 times is always so; give a max_count or a larger number")
    if high is not None and high < low:
        raise ConstraintError(f"at least {low} and at most {high} times cannot both be")
    return dict(params)


def contain(params: Values, options: Values) -> Check:
    """Each phrase, or any of them, occurs as often as asked."""
    phrases = [make_phrase(text, params, options) for text in params["phrases"]]
    names = [phrase.named for phrase in phrases]
    low, high = params["min_count"], params["max_count"]
    asked, any_of = _times_asked(low, high), params["require"] == "any"
    select = selector(options)

    def check(view: DocumentView) -> Answer:
        text = select(view)
        found = [phrase.find(text) for phrase in phrases]
        right = [low <= len(spans) and (high is None or len(spans) <= high) for spans in found]
        passed = any(right) if any_of else all(right)
        told = _phrase_told(right, any_of=any_of)
        if told is None:
            reason = f"{'none' if any_of else 'all'} of {len(names)} phrases as asked: {asked}"
        else:
            reason = f"{names[told]} found {counted(len(found[told]), 'time')}, {asked}"
        return Answer(passed, reason, spans_of(options, sorted(chain.from_iterable(found))))

    return check


def _times_asked(low: int, high: int | None) -> str:
    if high is None:
        return f"at least {low:,} asked"
    if low == high:
        return f"exactly {low:,} asked"
    return f"{low:,} to {high:,} asked" if low else f"at most {high:,} asked"


def _phrase_told(right: list[bool], *, any_of: bool) -> int | None:
    """Which phrase decided; ``None`` when it was all of several together."""
    if any_of in right:
        return right.index(any_of)
    return 0 if len(right) == 1 else None


def not_contain(params: Values, options: Values) -> Check:
    """None of the phrases occurs."""
    phrases = [make_phrase(text, params, options) for text in params["phrases"]]
    absent = f"{_listed(params['phrases'])} not found"
    select = selector(options)

    def check(view: DocumentView) -> Answer:
        text = select(view)
        for phrase in phrases:
            spans = phrase.find(text)
            if spans:
                reason = f"{phrase.named} found {counted(len(spans), 'time')}, none asked"
                return Answer(False, reason, spans_of(options, spans))
        return Answer(True, absent)

    return check


def _listed(texts: list[str]) -> str:
    return shown(texts[0]) if len(texts) == 1 else f"all {len(texts)} phrases"


def begin_with(params: Values, options: Values) -> Check:
    """The response begins with the text."""
    phrase, select = make_phrase(params["text"].strip(), params, options), selector(options)
    return lambda view: begins(phrase, select(view), None, options)


def end_with(params: Values, options: Values) -> Check:
    """The response ends with the text; one that was cut off does not end at all."""
    phrase, select = ending_phrase(params, options), selector(options)

    def check(view: DocumentView) -> Answer:
        if view.truncated:
            return Answer(False, "the response was cut off, so it has no end of its own")
        return ends(phrase, select(view), None, options)

    return check


def ending_phrase(params: Values, options: Values) -> Phrase:
    """The phrase to end with, without its own final marks where those are overlooked."""
    text = params["text"].strip()
    if options["ignore_final_punct"]:
        text = text.rstrip(FINAL_PUNCTUATION) or text
    return make_phrase(text, params, options)


def begins(phrase: Phrase, view: TextView, within: Span | None, options: Values) -> Answer:
    """Whether a text, or a part of it, begins with a phrase."""
    span = phrase.at_start(view, within)
    if span is not None:
        return Answer(True, f"begins with {phrase.named}", spans_of(options, [span]))
    start, end = trim(view.text, within)
    seen = shown(view.text[start : min(end, start + 2 * MOST_SPANS)])
    return Answer(False, f"begins with {seen}, {phrase.named} asked")


def ends(phrase: Phrase, view: TextView, within: Span | None, options: Values) -> Answer:
    """Whether a text, or a part of it, ends with a phrase."""
    span = phrase.at_end(view, within, punctuation=not options["ignore_final_punct"])
    if span is not None:
        return Answer(True, f"ends with {phrase.named}", spans_of(options, [span]))
    start, end = trim(view.text, within)
    seen = shown_end(view.text[max(start, end - 2 * MOST_SPANS) : end])
    return Answer(False, f"ends with {seen}, {phrase.named} asked")
