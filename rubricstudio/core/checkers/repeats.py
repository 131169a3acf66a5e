"""The constraint that a response does not say the same over and over."""

from collections import Counter
from collections.abc import Hashable, Sequence
from typing import Final

from rubricstudio.core.checkers.answers import Answer, Check, Values, counted, shown
from rubricstudio.core.checkers.constraint_type import ConstraintType
from rubricstudio.core.checkers.counting import SCOPE, selector
from rubricstudio.core.checkers.params import Kind, Param
from rubricstudio.core.checkers.segmentation import DocumentView, TextView, fold
from rubricstudio.core.errors import ConstraintError
from rubricstudio.core.types import Json

WORDS, LINES, SENTENCES = "words", "lines", "sentences"
LONGEST_RUN: Final = 100
_NOUNS: Final = {WORDS: "run", LINES: "line", SENTENCES: "sentence"}


def repeated_share(params: Values, options: Values) -> Check:
    """The share of pieces that occurred before is small enough.

    A piece is a run of n words, a line or a sentence. The share is 1 - different / all.
    """
    unit, length, most = params["unit"], params["n"], params["most"]
    select = selector(options)
    noun = f"run of {length} words" if unit == WORDS else _NOUNS[unit]

    def check(view: DocumentView) -> Answer:
        pieces = _pieces(select(view), unit, length)
        if pieces is None:
            return Answer(None, "nothing but code and tables, so it has no sentences")
        counts = Counter(pieces)
        share = 1 - len(counts) / len(pieces) if pieces else 0.0
        told = f"{share:.0%} of {_several(len(pieces), noun)} said before, at most {most:.0%} asked"
        if share > 0:
            piece, times = counts.most_common(1)[0]
            text = piece if isinstance(piece, str) else " ".join(map(str, _parts(piece)))
            told += f"; {shown(text)} stands {counted(times, 'time')}"
        return Answer(share <= most, told)

    return check


def _several(number: int, noun: str) -> str:
    head, _, rest = noun.partition(" ")
    return f"{counted(number, head)} {rest}".rstrip()


def _parts(piece: Hashable) -> Sequence[object]:
    return piece if isinstance(piece, tuple) else (piece,)


def _pieces(text: TextView, unit: str, length: int) -> Sequence[Hashable] | None:
    if unit == LINES:
        return [fold(line).strip() for line in text.lines if line.strip()]
    if unit == SENTENCES:
        return None if text.sentences is None else [fold(one) for one in text.sentences]
    words = [word.casefold() for word in text.words]
    return list(zip(*(words[at:] for at in range(length)), strict=False))


def settle_run(params: Values) -> dict[str, Json]:
    """A run of words that repeats; raises :class:`ConstraintError`."""
    if not 1 <= params["n"] <= LONGEST_RUN:
        raise ConstraintError(f"a run has 1 to {LONGEST_RUN} words, and it asks for {params['n']}")
    return dict(params)


TYPES: Final = (
    ConstraintType(
        "repeated_share",
        "does not say the same over and over",
        {
            "unit": Param(
                Kind.CHOICE,
                "what is compared: runs of n words, lines or sentences",
                default=WORDS,
                choices=(WORDS, LINES, SENTENCES),
            ),
            "n": Param(Kind.COUNT, "how many words a run has", default=4),
            "most": Param(Kind.SHARE, "the share that may have been said before", default=0.2),
        },
        {"scope": SCOPE},
        repeated_share,
        settle_run,
    ),
)
