"""Whether a sentence says the same as a constraint: one of the prompt, or a criterion.

A sentence is taken for the same claim when it names what the constraint names: each of its phrases,
each of its numbers, and of a count the unit. That misses paraphrases, and takes no meaning for
granted: "is short" is not compared with "at most 100 words".
"""

import re
from collections.abc import Iterator
from typing import Final

from rubricstudio.core.checkers.doubts import asked_numbers
from rubricstudio.core.checkers.params import Kind
from rubricstudio.core.checkers.registry import find_type
from rubricstudio.core.checkers.said_numbers import said_numbers
from rubricstudio.core.checkers.segmentation.sentences import split_sentences
from rubricstudio.core.types import Constraint

_UNITS: Final = {
    "word": ("word", "词", "字"),
    "sentence": ("sentence", "句"),
    "paragraph": ("paragraph", "段"),
    "line": ("line", "行"),
    "char": ("character", "letter", "字"),
    "heading": ("heading", "标题"),
    "item": ("item", "bullet", "point", "条", "点"),
}
LONGEST_PROMPT: Final = 20_000
_CLAUSE: Final = re.compile(r"[,;:()，；：（）、]| and | but ")


def says_the_same(constraint: Constraint, text: str) -> bool:
    """Whether the text of a criterion makes the same claim as a constraint."""
    folded = text.casefold()
    phrases = list(_phrases(constraint))
    numbers = set(asked_numbers(constraint).values())
    if not phrases and not numbers:
        return False
    units = next((words for unit, words in _UNITS.items() if unit in constraint.type), None)
    return (
        all(one.casefold() in folded for one in phrases)
        and numbers <= said_numbers(text)
        and (units is None or any(one in folded for one in units))
    )


def probable_quote(constraint: Constraint, prompt: str) -> str:
    """The words of a prompt that probably ask for a constraint; empty where none do.

    They are the shortest clause, or else sentence, that makes the same claim.
    """
    lines = prompt[:LONGEST_PROMPT].split("\n")
    sentences = [one for line in lines for one in split_sentences(line)]
    saying = [one for one in sentences if says_the_same(constraint, one)]
    clauses = [clause.strip() for one in saying for clause in _CLAUSE.split(one)]
    found = [one for one in clauses if says_the_same(constraint, one)] or saying
    return min(found, key=len, default="")


def _phrases(constraint: Constraint) -> Iterator[str]:
    """The texts among the parameters; of a type that is not checked, every string."""
    kind = find_type(constraint.type, constraint.dialect)
    for name, value in constraint.params.items():
        declared = kind.params.get(name) if kind else None
        if declared is None or declared.kind in (Kind.TEXT, Kind.TEXTS):
            some = value if isinstance(value, list) else [value]
            yield from (one.strip() for one in some if isinstance(one, str) and one.strip())
