"""Constraints on what is answered: one of some options, the question first, phrases in order."""

from typing import Final

from rubricstudio.core.checkers.answers import Answer, Check, Values, counted, shown
from rubricstudio.core.checkers.constraint_type import ConstraintType
from rubricstudio.core.checkers.containing import FOLDING, MATCH, make_phrase, spans_of
from rubricstudio.core.checkers.counting import MARKDOWN, SCOPE, selector
from rubricstudio.core.checkers.params import Kind, Param
from rubricstudio.core.checkers.phrases import FINAL_PUNCTUATION, Phrase
from rubricstudio.core.checkers.segmentation import DocumentView, TextView
from rubricstudio.core.errors import ConstraintError
from rubricstudio.core.types import Json, Span

_AROUND: Final = FINAL_PUNCTUATION + "([“‘«"


def choice_among(params: Values, options: Values) -> Check:
    """Exactly one of the options is answered."""
    # What is part of a longer option is looked for last, and not inside that one.
    texts = sorted(params["options"], key=len, reverse=True)
    phrases = [make_phrase(text, params, options) for text in texts]
    select, alone = selector(options), params["alone"]

    def check(view: DocumentView) -> Answer:
        text = select(view)
        found = _options_in(text, phrases)
        spans = spans_of(options, sorted(span for _, spans in found for span in spans))
        names = [phrase.named for phrase, _ in found]
        if len(found) != 1:
            told = f"{' and '.join(names)} in it" if names else "none of the options in it"
            return Answer(False, f"{told}, exactly 1 of {len(phrases)} options asked", spans)
        if alone and not _is_all(text, found[0][1][0]):
            return Answer(False, f"more than {names[0]} in it, the option alone asked", spans)
        return Answer(True, f"the answer is {names[0]}", spans)

    return check


def _options_in(text: TextView, phrases: list[Phrase]) -> list[tuple[Phrase, list[Span]]]:
    taken: list[Span] = []
    found = []
    for phrase in phrases:
        spans = [span for span in phrase.find(text) if not _inside(span, taken)]
        if spans:
            found.append((phrase, spans))
            taken += spans
    return found


def _inside(span: Span, others: list[Span]) -> bool:
    return any(one.start <= span.start and span.end <= one.end for one in others)


def _is_all(text: TextView, span: Span) -> bool:
    around = text.text[: span.start] + text.text[span.end :]
    return not around.strip(_AROUND)


def settle_options(params: Values) -> dict[str, Json]:
    """Two different options at least; raises :class:`ConstraintError`."""
    if len({one.casefold().strip() for one in params["options"]}) < 2:
        raise ConstraintError("there is nothing to choose; give 2 different options or more")
    return dict(params)


def repeat_prompt(params: Values, options: Values) -> Check:
    """The response begins with the text word for word, and goes on from there."""
    phrase, goes_on = make_phrase(params["text"].strip(), params, options), params["then_answer"]

    def check(view: DocumentView) -> Answer:
        span = phrase.at_start(view.whole)
        if span is None:
            return Answer(False, f"it does not begin with {phrase.named}")
        if goes_on and not view.text[span.end :].strip(_AROUND):
            return Answer(False, "nothing stands behind the repeated text", (span,))
        return Answer(True, "it begins with the text word for word", (span,))

    return check


def phrase_order(params: Values, options: Values) -> Check:
    """Each phrase first occurs behind the place where the one before it does."""
    phrases, select = (
        [make_phrase(text, params, options) for text in params["phrases"]],
        selector(options),
    )

    def check(view: DocumentView) -> Answer:
        text = select(view)
        spans: list[Span] = []
        for phrase in phrases:
            first = next(iter(phrase.find(text)), None)
            if first is None:
                return Answer(False, f"{phrase.named} not found", spans_of(options, spans))
            if spans and first < spans[-1]:
                told = f"{phrase.named} comes before {shown(text.text[slice(*spans[-1])])}"
                return Answer(False, told, spans_of(options, [first, spans[-1]]))
            spans.append(first)
        return Answer(True, f"{counted(len(spans), 'phrase')} in order", spans_of(options, spans))

    return check


def settle_order(params: Values) -> dict[str, Json]:
    """Two phrases at least; raises :class:`ConstraintError`."""
    if len(params["phrases"]) < 2:
        raise ConstraintError("an order needs 2 phrases at least")
    return dict(params)


TYPES: Final = (
    ConstraintType(
        "choice_among",
        "answers exactly one of the options",
        {
            "options": Param(Kind.TEXTS, "what may be answered", required=True),
            "alone": Param(Kind.FLAG, "whether nothing else may be said", default=False),
            "match": MATCH,
        },
        {**FOLDING, "markdown": MARKDOWN},
        choice_among,
        settle_options,
    ),
    ConstraintType(
        "repeat_prompt",
        "repeats the text first, then goes on",
        {
            "text": Param(Kind.TEXT, "the text to repeat", required=True),
            "then_answer": Param(Kind.FLAG, "whether more has to follow", default=True),
            "match": MATCH,
        },
        FOLDING,
        repeat_prompt,
    ),
    ConstraintType(
        "phrase_order",
        "has the phrases in the given order",
        {"phrases": Param(Kind.TEXTS, "the phrases, in order", required=True), "match": MATCH},
        {**FOLDING, "markdown": MARKDOWN, "scope": SCOPE},
        phrase_order,
        settle_order,
    ),
)
