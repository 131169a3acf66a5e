"""The constraint that sources are cited by their numbers, such as [2] or [1, 3-4]."""

import re
from collections.abc import Iterator
from typing import Final

from rubricstudio.core.checkers.answers import Answer, Check, Values, counted, shown
from rubricstudio.core.checkers.constraint_type import ConstraintType
from rubricstudio.core.checkers.counting import MOST_SPANS
from rubricstudio.core.checkers.params import LARGEST_COUNT, Kind, Param
from rubricstudio.core.checkers.segmentation import DocumentView, Part, TextView
from rubricstudio.core.errors import ConstraintError
from rubricstudio.core.types import Json, Span

FEWEST_WORDS: Final = 4
_CITATION: Final = re.compile(
    r"\[\^?(\d{1,8}(?:[ \t]*[,;–-][ \t]*\d{1,8})*)\](?![(\w:])|【(\d{1,8})】"
)
_RANGE: Final = re.compile(r"(\d+)[ \t]*[–-][ \t]*(\d+)|(\d+)")


def citations(params: Values, _: Values) -> Check:
    """Each cited number is one of the sources, and each factual sentence cites one if asked."""
    sources, everywhere = params["sources"], params["each_sentence"]

    def check(view: DocumentView) -> Answer:
        text = view.part(Part.OUTSIDE_CODE)
        found = list(_CITATION.finditer(text.text))
        spans = tuple(Span(*one.span()) for one in found[:MOST_SPANS])
        if not found:
            return Answer(False, f"no citation such as [1], sources 1 to {sources:,} given")
        outside = next((one for one in found if not _within(one, sources)), None)
        if outside:
            told = f"{shown(outside[0])} names no source, only 1 to {sources:,} are given"
            return Answer(False, told, (Span(*outside.span()),))
        return _sentences_cited(text, found, spans) if everywhere else _cited(found, spans)

    return check


def _cited(found: list[re.Match[str]], spans: tuple[Span, ...]) -> Answer:
    return Answer(True, f"{counted(len(found), 'citation')}, each of a source that is given", spans)


def _within(citation: re.Match[str], sources: int) -> bool:
    return all(1 <= low <= high <= sources for low, high in _numbers(citation))


def _numbers(citation: re.Match[str]) -> Iterator[tuple[int, int]]:
    for first, last, alone in _RANGE.findall(citation[1] or citation[2]):
        yield int(first or alone), int(last or alone)


def _sentences_cited(text: TextView, found: list[re.Match[str]], spans: tuple[Span, ...]) -> Answer:
    if text.sentences is None:
        return Answer(None, "nothing but code and tables, so it has no sentences")
    bare = [one for one in text.sentences if _is_factual(one) and not _CITATION.search(one)]
    if bare:
        told = f"{counted(len(bare), 'factual sentence')} without a citation"
        return Answer(False, f"{told}, the first is {shown(bare[0])}")
    return _cited(found, spans)


def _is_factual(sentence: str) -> bool:
    """A statement of some words; a question, a call and what only leads on to a list are none."""
    statement = _CITATION.sub("", sentence).rstrip(" \"'”’»)*_")
    if statement.endswith(("?", "!", ":", "？", "！", "：")):
        return False
    return TextView(statement).word_count >= FEWEST_WORDS


def settle_sources(params: Values) -> dict[str, Json]:
    """One source at least; raises :class:`ConstraintError`."""
    if params["sources"] < 1:
        raise ConstraintError(f"nothing can be cited; sources is 1 to {LARGEST_COUNT:,}")
    return dict(params)


TYPES: Final = (
    ConstraintType(
        "citations",
        "cites sources by their numbers",
        {
            "sources": Param(Kind.COUNT, "how many numbered sources there are", required=True),
            "each_sentence": Param(
                Kind.FLAG,
                "whether each factual sentence cites one; questions, calls and sentences of "
                f"fewer than {FEWEST_WORDS} words are none",
                default=False,
            ),
        },
        {},
        citations,
        settle_sources,
    ),
)
