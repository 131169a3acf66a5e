"""Constraints on the n-th paragraph."""

from collections.abc import Callable

from rubricstudio.core.checkers.answers import Answer, Check, Values, counted
from rubricstudio.core.checkers.containing import (
    begins,
    ending_phrase,
    ends,
    make_phrase,
    spans_of,
)
from rubricstudio.core.checkers.counting import paragraph_rule
from rubricstudio.core.checkers.segmentation import DocumentView, TextView
from rubricstudio.core.types import Span

Look = Callable[[TextView, Span | None, bool], Answer]
"""Looks at a paragraph: the text that holds it, where in that text, and whether it was cut off."""


def nth_paragraph_begin_with(params: Values, options: Values) -> Check:
    """The n-th paragraph begins with the text."""
    phrase = make_phrase(params["text"].strip(), params, options)
    return _nth(params, options, lambda text, within, _: begins(phrase, text, within, options))


def nth_paragraph_contain(params: Values, options: Values) -> Check:
    """The n-th paragraph contains the text."""
    phrase = make_phrase(params["text"], params, options)

    def look(text: TextView, within: Span | None, _: bool) -> Answer:
        spans = phrase.find(text, within)
        reason = f"{phrase.named} found {counted(len(spans), 'time')}, at least 1 asked"
        return Answer(bool(spans), reason, spans_of(options, spans))

    return _nth(params, options, look)


def nth_paragraph_end_with(params: Values, options: Values) -> Check:
    """The n-th paragraph ends with the text; a paragraph that was cut off does not end at all."""
    phrase = ending_phrase(params, options)

    def look(text: TextView, within: Span | None, cut_off: bool) -> Answer:
        if cut_off:
            return Answer(False, "it was cut off, so it has no end of its own")
        return ends(phrase, text, within, options)

    return _nth(params, options, look)


def _nth(params: Values, options: Values, look: Look) -> Check:
    rule, number, total = paragraph_rule(params, options), params["n"], params["paragraphs"]
    rendered = options["markdown"] == "rendered"

    def check(view: DocumentView) -> Answer:
        spans = view.whole.paragraphs(rule)
        if total is not None and len(spans) != total:
            return Answer(False, f"{counted(len(spans), 'paragraph')}, exactly {total} asked")
        if abs(number) > len(spans):
            return Answer(False, f"{counted(len(spans), 'paragraph')}, number {number} asked")
        span = spans[number - 1 if number > 0 else number]
        cut_off = view.truncated and span.end == len(view.text)
        text, within = (_rendered(view, span), None) if rendered else (view.whole, span)
        answer = look(text, within, cut_off)
        return answer._replace(reason=f"paragraph {number}: {answer.reason}")

    return check


def _rendered(view: DocumentView, span: Span) -> TextView:
    """One paragraph as a reader sees it; where paragraphs are is told by the Markdown."""
    return TextView(view.text[span.start : span.end]).rendered
