"""IFBench: the families ``count`` and ``ratio``.

Quirks that are kept: "And" and "and" are two different conjunctions; a number is a run of digits
once every mark is gone, so "3.14" is one; the overlap is one of three characters in a row, not of
words; a balance of nothing is a balance.
"""

import re
from collections.abc import Callable
from typing import Final

from rubricstudio.core.checkers.answers import Answer, Values, counted, shown
from rubricstudio.core.checkers.ifeval.rules import Rule, bound, counts
from rubricstudio.core.checkers.ifeval.texts import EDGES, Text, without_marks
from rubricstudio.core.checkers.ifeval.word_lists import CONJUNCTIONS, NAMES, PRONOUNS, STOP_WORDS

_DIGITS: Final = re.compile(r"\d+")
_WORD: Final = re.compile(r"\w+")
_NAME: Final = re.compile(rf"\b(?:{'|'.join(NAMES)})\b")
_JAPANESE: Final = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff]")
_MARKS: Final = (".", ",", "!", "?", ";", ":")
_INTERROBANGS: Final = ("?!", "!?")
_LEEWAY: Final = 2


def conjunctions(params: Values) -> Rule:
    """At least a number of different conjunctions; each spelling and each mark makes another."""

    def count(text: Text) -> int:
        return len({run.text for run in text.runs if run.text.strip(EDGES).lower() in CONJUNCTIONS})

    return counts("different conjunction", bound("ge", params["small_n"]), count)


def person_names(params: Values) -> Rule:
    """At least a number of the names in the prompt's list."""
    asked = bound("ge", params["N"])
    return counts("name of the list", asked, lambda text: len(set(_NAME.findall(text.text))))


def numbers(params: Values) -> Rule:
    """An exact number of numbers."""

    def count(text: Text) -> int:
        return sum(1 for _ in _DIGITS.finditer(without_marks(text.text)))

    return counts("number", bound("eq", params["N"]), count)


def pronouns(params: Values) -> Rule:
    """At least a number of pronouns; "she/her" is two."""

    def count(text: Text) -> int:
        low = Text(text.text.replace("/", " ").lower())
        return sum(1 for token in low.tokens if token in PRONOUNS)

    return counts("pronoun", bound("ge", params["N"]), count)


def punctuation(_: Values) -> Rule:
    """Every common mark is there, one of them beside an interrobang."""
    return _has_marks


def _has_marks(text: Text) -> Answer:
    whole = text.text
    bang = next((one for one in _INTERROBANGS if one in whole), None)
    if bang is None and "‽" not in whole:
        return Answer(False, "no interrobang (?! or ‽)")
    rest = whole.replace(bang, "", 1) if bang else whole
    missing = [mark for mark in _MARKS if mark not in rest]
    if missing:
        return Answer(False, f"{shown(missing[0])} is missing beside the interrobang")
    return Answer(True, "every mark is there")


def words_japanese(params: Values) -> Rule:
    """Every n-th word is Japanese; one that is nothing but digits or marks is passed over."""
    step = params["N"]

    def rule(text: Text) -> Answer:
        for run in text.runs[step - 1 :: step]:
            word = run.text.strip(EDGES)
            if word and not word.isdigit() and not _JAPANESE.search(word):
                return Answer(
                    False, f"{shown(run.text)} stands where a Japanese word should", (run.span,)
                )
        return Answer(True, f"every word at a multiple of {step} is Japanese")

    return rule


def stop_words(params: Values) -> Rule:
    """At most a share of the words, in percent, are stop words; without words it fails."""
    most = params["percentage"]

    def rule(text: Text) -> Answer:
        words = _WORD.findall(text.text)
        if not words:
            return Answer(False, "there is no word")
        share = sum(1 for word in words if word.lower() in STOP_WORDS) / len(words) * 100
        return Answer(share <= most, f"{share:.1f} % stop words, at most {most} % asked")

    return rule


def overlap(params: Values) -> Rule:
    """So many percent of the threes of characters, give or take two, are those of a text."""
    asked, reference = params["percentage"], _threes(params["reference_text"])

    def rule(text: Text) -> Answer:
        threes = _threes(text.text)
        if not threes:
            return Answer(False, "fewer than three characters")
        share = len(threes & reference) / len(threes) * 100
        right = asked - _LEEWAY <= share <= asked + _LEEWAY
        return Answer(right, f"{share:.1f} % overlap, {asked} % ±{_LEEWAY} asked")

    return rule


def _threes(text: str) -> set[str]:
    return {text[at : at + 3] for at in range(len(text) - 2)}


def sentence_type(_: Values) -> Rule:
    """Twice as many sentences end with a full stop as with a question mark."""
    return _by_ends(
        lambda stops, questions, _: stops == 2 * questions, "twice as many statements as questions"
    )


def sentence_balance(_: Values) -> Rule:
    """As many sentences end with a full stop as with a question mark and with ``!``."""
    return _by_ends(
        lambda stops, questions, calls: stops == questions == calls, "as many of each kind"
    )


def _by_ends(holds: Callable[[int, int, int], bool], asked: str) -> Rule:
    def rule(text: Text) -> Answer:
        ends = [sentence[-1:] for sentence in text.sentences]
        stops, questions, calls = (ends.count(mark) for mark in ".?!")
        reason = (
            f"{counted(stops, 'statement')}, {counted(questions, 'question')} and "
            f"{counted(calls, 'exclamation')}, {asked} asked"
        )
        return Answer(holds(stops, questions, calls), reason)

    return rule


def sentence_words(_: Values) -> Rule:
    """Three sentences of one length; that their words differ is asked for and not checked."""
    return _three_alike


def _three_alike(text: Text) -> Answer:
    lengths = [len(sentence.strip()) for sentence in text.sentences]
    if len(lengths) != 3:
        return Answer(False, f"{counted(len(lengths), 'sentence')}, exactly 3 asked")
    told = f"sentences of {lengths[0]:,}, {lengths[1]:,} and {lengths[2]:,} characters"
    return Answer(len(set(lengths)) == 1, told)
