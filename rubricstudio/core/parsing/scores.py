"""The global score: prose that ends in ``[[x]]`` with 0 <= x <= 10 (paper 000, section 3.3)."""

import re
from dataclasses import dataclass
from typing import Final

from rubricstudio.core.parsing.reply import Parsed, Reply, Unusable, final_content
from rubricstudio.core.parsing.thinking import strip_thinking
from rubricstudio.core.types import UnscoredReason

MARK: Final = re.compile(r"\[\[\s*([+-]?[0-9]+(?:\.[0-9]+)?)\s*\]\]")
CLOSING_MARKS: Final = re.compile(r"[\s.*_`)\"']*\Z")
LOWEST, HIGHEST = 0.0, 10.0


@dataclass(frozen=True, slots=True)
class GlobalScore:
    """The holistic judgement, 0 to 10, and the words before it."""

    score: float
    assessment: str


def parse_global(reply: Reply) -> Parsed[GlobalScore]:
    """Read the last ``[[x]]``, which has to end the answer.

    A mark with words after it may be a quotation, so the answer is ambiguous then. A number
    outside 0 to 10 is off the scale, never brought into it.
    """
    try:
        text = strip_thinking(final_content(reply))
        mark = _last_mark(text)
        score = float(mark[1])
        if not LOWEST <= score <= HIGHEST:
            raise Unusable(UnscoredReason.OFF_SCALE, f"the score is {mark[1]}, outside 0 to 10")
    except Unusable as problem:
        return problem.parsed()
    return Parsed(GlobalScore(score, text[: mark.start()].strip()))


def _last_mark(text: str) -> re.Match[str]:
    marks = list(MARK.finditer(text))
    if not marks:
        raise Unusable(UnscoredReason.UNPARSABLE, f"no [[score]] ends the answer: {text[-80:]}")
    if not CLOSING_MARKS.match(text, marks[-1].end()):
        raise Unusable(
            UnscoredReason.AMBIGUOUS,
            f"words follow the score: {text[marks[-1].end() :].strip():.60}",
        )
    return marks[-1]
