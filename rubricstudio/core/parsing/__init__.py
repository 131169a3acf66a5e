"""Model text -> a value, or the reason why there is none.

Nothing here guesses. Thinking is cut off, only the final text is read, an object has to be the
whole of it and to carry the id that the request asked it to echo (criterion and nonce), and a
number off its scale is off its scale. What the judged text says about its own verdict is therefore
never read: it stands in a string of the answer, or in an answer that is refused.
"""

from typing import Final

from rubricstudio.core.parsing.code import CodeDraft, parse_code
from rubricstudio.core.parsing.constraints import (
    DroppedConstraint,
    ExtractedConstraints,
    parse_constraints,
)
from rubricstudio.core.parsing.labels import TaskLabel, parse_label
from rubricstudio.core.parsing.reply import Parsed, Reply
from rubricstudio.core.parsing.rubrics import RubricDraft, parse_rubric
from rubricstudio.core.parsing.scores import GlobalScore, parse_global
from rubricstudio.core.parsing.thinking import (
    THINKING,
    find_answer,
    strip_leading_thinking,
    strip_thinking,
)
from rubricstudio.core.parsing.verdicts import (
    Judgement,
    answers_of,
    parse_choice,
    parse_judgement,
    score_of,
)

PARSER: Final = "parser/1"
"""Raised with every change of what is read from a reply; part of a judge's identity."""

__all__ = [
    "PARSER",
    "THINKING",
    "CodeDraft",
    "DroppedConstraint",
    "ExtractedConstraints",
    "GlobalScore",
    "Judgement",
    "Parsed",
    "Reply",
    "RubricDraft",
    "TaskLabel",
    "answers_of",
    "find_answer",
    "parse_choice",
    "parse_code",
    "parse_constraints",
    "parse_global",
    "parse_judgement",
    "parse_label",
    "parse_rubric",
    "score_of",
    "strip_leading_thinking",
    "strip_thinking",
]
