"""Instructions about how long a response is: words, sentences, paragraphs.

Quirks that are kept: "It's" is two words; paragraphs are cut at ``***``, also inside of a longer
run of stars, or at exactly two line feeds, and then an empty paragraph is not counted but keeps its
place among the others.
"""

import re
import string
from collections.abc import Callable, Mapping
from typing import Final

from rubricstudio.core.checkers.answers import Answer, Values, counted, shown
from rubricstudio.core.checkers.ifeval import libraries
from rubricstudio.core.checkers.ifeval.rules import Make, Rule, bound, compared, counts, found
from rubricstudio.core.checkers.ifeval.texts import EDGES, Text
from rubricstudio.core.errors import ConstraintError
from rubricstudio.core.types import Json

_STARS: Final = re.compile(r"\s?\*\*\*\s?")
_ENDS_A_WORD: Final = re.compile(r"[.,?!'\"]")


def number_words(words: Mapping[str, str]) -> Make:
    """A number of words."""
    return lambda params: counts(
        "word", compared(params, "num_words", words), lambda text: text.word_count
    )


def number_sentences(words: Mapping[str, str]) -> Make:
    """A number of sentences as the English Punkt cuts them."""
    return lambda params: counts(
        "sentence", compared(params, "num_sentences", words), lambda text: len(text.sentence_spans)
    )


def number_sentences_french(words: Mapping[str, str]) -> Make:
    """A number of sentences as the French Punkt with more abbreviations cuts them."""
    return lambda params: found(
        "sentence",
        compared(params, "num_sentences", words),
        lambda text: libraries.sentence_spans(text.text, "french"),
    )


def number_sentences_japanese(words: Mapping[str, str]) -> Make:
    """A number of sentences as the Japanese segmenter cuts them."""
    return lambda params: counts(
        "sentence",
        compared(params, "num_sentences", words),
        lambda text: libraries.japanese_sentence_count(text.text),
    )


def number_letters(words: Mapping[str, str]) -> Make:
    """A number of characters, white space too."""
    return lambda params: counts(
        "character", compared(params, "num_letters", words), lambda text: len(text.text)
    )


def number_paragraphs(params: Values) -> Rule:
    """An exact number of paragraphs between ``***``; an empty one in between fails."""
    asked = bound("eq", params["num_paragraphs"])

    def rule(text: Text) -> Answer:
        parts = [part.strip() for part in _STARS.split(text.text)]
        if not all(parts[1:-1]):
            return Answer(False, "nothing between two dividers ***")
        total = sum(1 for part in parts if part)
        return Answer(asked.holds(total), f"{counted(total, 'paragraph')}, {asked.asked}")

    return rule


def settle_nth(params: Values) -> dict[str, Json]:
    """Refuse a paragraph that lies beyond the last one."""
    if params["nth_paragraph"] > params["num_paragraphs"]:
        raise ConstraintError(
            f"paragraph {params['nth_paragraph']} of {params['num_paragraphs']} there is none"
        )
    return dict(params)


def nth_paragraph(begins: Callable[[str, str], tuple[bool, str]]) -> Make:
    """A number of paragraphs, and how one of them begins; ``begins`` also says what it saw."""

    def make(params: Values) -> Rule:
        asked = bound("eq", params["num_paragraphs"])
        place, word = params["nth_paragraph"], params["first_word"].lower()

        def rule(text: Text) -> Answer:
            parts = [part.strip() for part in text.text.split("\n\n")]
            total = sum(1 for part in parts if part)
            if not asked.holds(total):
                return Answer(False, f"{counted(total, 'paragraph')}, {asked.asked}")
            paragraph = parts[place - 1]
            if not paragraph:
                return Answer(False, f"paragraph {place} is empty")
            right, seen = begins(paragraph, word)
            reason = f"paragraph {place} begins with {shown(seen)}"
            return Answer(right, reason if right else f"{reason}, {shown(word)} asked")

        return rule

    return make


def first_word(paragraph: str, word: str) -> tuple[bool, str]:
    """The first word up to a mark, straight quotes in front left out."""
    seen = paragraph.split(maxsplit=1)[0].lstrip("'").lstrip('"')
    cut = _ENDS_A_WORD.search(seen)
    seen = (seen[: cut.start()] if cut else seen).lower()
    return seen == word, seen


def first_words(paragraph: str, words: str) -> tuple[bool, str]:
    """As many first words as are asked for, without any mark in them."""
    asked = words.split()
    first = paragraph.split(maxsplit=len(asked))[: len(asked)]
    seen = [
        "".join(sign for sign in one if sign not in string.punctuation).lower() for one in first
    ]
    return seen == asked, " ".join(seen)


def word_count_range(params: Values) -> Rule:
    """A number of words in a range, both ends included."""
    asked = bound("between", params["min_words"], params["max_words"])
    return counts("word", asked, lambda text: text.word_count)


def settle_range(params: Values) -> dict[str, Json]:
    """Refuse a range whose ends are the wrong way round."""
    low, high = params["min_words"], params["max_words"]
    if high < low:
        raise ConstraintError(f"between {low} and {high} nothing lies; put the smaller one first")
    return dict(params)


def unique_words(params: Values) -> Rule:
    """At least a number of different words; marks on their own are together one word."""
    asked = bound("ge", params["N"])
    return counts(
        "different word",
        asked,
        lambda text: len({one.strip(EDGES) for one in text.lower.split()}),
    )
