"""Constraints on punctuation: marks that are not used, ends of sentences, quotation marks."""

import re
from typing import Final

import regex

from rubricstudio.core.checkers.answers import Answer, Check, Values, counted, shown
from rubricstudio.core.checkers.constraint_type import ConstraintType
from rubricstudio.core.checkers.counting import MOST_SPANS, SCOPE, selector
from rubricstudio.core.checkers.params import Kind, Param
from rubricstudio.core.checkers.segmentation import DocumentView
from rubricstudio.core.types import Span

_ANY: Final = regex.compile(r"\p{P}")
_SAME: Final = {
    ",": ",，、،﹐",
    ".": ".。．｡",
    ";": ";；؛",
    ":": ":：",
    "?": "?？؟",
    "!": "!！",
    "-": "-‐‑",
    "—": "—―",
    "'": "'‘’",
    '"': '"“”„',
    "(": "(（",
    ")": ")）",
}
"""The marks of other scripts and of typographers that are the same to a reader."""
_CLOSING: Final = "\"'”’»)]}】」』〉》*_~` "
_PAIRS: Final = {
    "double": ('""', "“”", "„“", "„”", "«»", "「」", "『』", "＂＂"),
    "straight": ('""',),
    "single": ("''", "‘’", "‹›"),
}


def no_punctuation(params: Values, options: Values) -> Check:
    """None of the marks is used, or no punctuation at all."""
    marks, select = params["marks"], selector(options)
    pattern = _ANY if marks is None else re.compile("|".join(map(_alike, marks)))
    asked = "no punctuation" if marks is None else f"no {' '.join(marks)}"

    def check(view: DocumentView) -> Answer:
        found = [Span(*one.span()) for one in pattern.finditer(select(view).text)]
        if not found:
            return Answer(True, f"{asked} in it")
        first = shown(view.text[found[0].start : found[0].end])
        told = f"{counted(len(found), 'mark')}, {asked} asked, the first is {first}"
        return Answer(False, told, tuple(found[:MOST_SPANS]))

    return check


def _alike(mark: str) -> str:
    wanted = mark.strip()
    return f"[{re.escape(_SAME[wanted])}]" if wanted in _SAME else re.escape(wanted)


def sentences_end_with(params: Values, _: Values) -> Check:
    """Each sentence ends with one of the marks; closing quotes behind it are overlooked."""
    marks = tuple(mark.strip() for mark in params["marks"])
    alike = tuple(one for mark in marks for one in _SAME.get(mark, mark))
    asked = " or ".join(marks)

    def check(view: DocumentView) -> Answer:
        sentences = view.whole.sentences
        if sentences is None:
            return Answer(None, "nothing but code and tables, so it has no sentences")
        wrong = [one for one in sentences if not one.rstrip(_CLOSING).endswith(alike)]
        if wrong:
            told = f"{counted(len(wrong), 'sentence')} not ending with {asked}"
            return Answer(False, f"{told}, the first is {shown(wrong[0])}")
        return Answer(bool(sentences), f"{counted(len(sentences), 'sentence')} ending with {asked}")

    return check


def quotation(params: Values, _: Values) -> Check:
    """The whole response stands in quotation marks."""
    pairs, style = _PAIRS[params["style"]], params["style"]

    def check(view: DocumentView) -> Answer:
        text = view.text.strip()
        if len(text) > 2 and text[0] + text[-1] in pairs and not view.truncated:
            return Answer(True, f"it stands in {style} quotation marks")
        seen = shown(f"{text[0]}…{text[-1]}")
        return Answer(False, f"it begins and ends {seen}, {style} quotation marks asked")

    return check


TYPES: Final = (
    ConstraintType(
        "no_punctuation",
        "uses none of the marks, or no punctuation at all",
        {"marks": Param(Kind.TEXTS, "the marks that are not used; every mark if none is named")},
        {"scope": SCOPE},
        no_punctuation,
    ),
    ConstraintType(
        "sentences_end_with",
        "ends every sentence with one of the marks",
        {"marks": Param(Kind.TEXTS, "the marks, such as ! or ?", required=True)},
        {},
        sentences_end_with,
    ),
    ConstraintType(
        "quotation",
        "stands in quotation marks",
        {
            "style": Param(
                Kind.CHOICE,
                "double: of any language; straight: the plain double ones; single: single ones",
                default="double",
                choices=tuple(_PAIRS),
            )
        },
        {},
        quotation,
    ),
)
