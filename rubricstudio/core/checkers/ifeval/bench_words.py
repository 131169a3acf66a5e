"""IFBench: the family ``words``.

Quirks that are kept: a word is what stands between white space, ASCII marks taken away, so "it's"
is "its" and a curly quote is a letter; ``words:vowel`` allows three kinds of vowels in all and one
line; no number has a syllable. Whether a word is a verb takes a trained tagger that nothing here
has, so ``words:start_verb`` has no answer.
"""

import re
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from typing import Final

from rubricstudio.core.checkers.answers import Answer, Values, counted, shown
from rubricstudio.core.checkers.ifeval import libraries
from rubricstudio.core.checkers.ifeval.patterns import line_spans
from rubricstudio.core.checkers.ifeval.rules import Rule, bound, found
from rubricstudio.core.checkers.ifeval.texts import EDGES, Run, Text
from rubricstudio.core.types import Span

_ALPHABET: Final = "abcdefghijklmnopqrstuvwxyz"
_VOWELS: Final = "aeiou"
_MOST_VOWELS: Final = 3
_CLUSTER: Final = re.compile(r"[bcdfghjklmnpqrstvwxyz]{2}")
_PRIMES: Final = frozenset(
    number
    for number in range(2, 100)
    if all(number % divisor for divisor in range(2, int(number**0.5) + 1))
)
_SHORTEST_PALINDROME: Final = 5
_PALINDROMES: Final = 10


def _all_words(right: Callable[[str], bool], reason: str, done: str) -> Rule:
    """Every word without its marks holds to a rule; the first that does not is told."""

    def rule(text: Text) -> Answer:
        for run in text.plain_words:
            if not right(run.text):
                return Answer(False, f"{shown(run.text)} {reason}", (run.span,))
        return Answer(True, done)

    return rule


def _neighbours(right: Callable[[str, str], bool], reason: str, done: str) -> Rule:
    """Every word and the one before hold to a rule."""

    def rule(text: Text) -> Answer:
        words = text.plain_words
        for before, run in pairwise(words):
            if not right(before.text.lower(), run.text.lower()):
                spans = (Span(before.span.start, run.span.end),)
                return Answer(False, f"{shown(before.text)} and {shown(run.text)} {reason}", spans)
        return Answer(True, done)

    return rule


def alphabet(_: Values) -> Rule:
    """Every word begins with the letter after that of the one before, z being followed by a."""

    def rule(text: Text) -> Answer:
        words = text.plain_words
        first = words[0].text[0].lower() if words else ""
        if not first or first not in _ALPHABET:
            return _told_first(words)
        start = _ALPHABET.index(first)
        for place, run in enumerate(words):
            letter = _ALPHABET[(start + place) % len(_ALPHABET)]
            if run.text.lower()[0] != letter:
                return Answer(False, f"{shown(run.text)} begins no {letter}", (run.span,))
        return Answer(True, "every word begins with the next letter")

    return rule


def _told_first(words: list[Run]) -> Answer:
    if not words:
        return Answer(False, "there is no word")
    return Answer(False, f"{shown(words[0].text)} begins with no letter", (words[0].span,))


def vowel(_: Values) -> Rule:
    """One line with at most three of the five vowels."""

    def rule(text: Text) -> Answer:
        inner = text.lower.strip()
        lines = inner.count("\n") + 1
        if lines > 1:
            return Answer(False, f"{counted(lines, 'line')}, exactly 1 asked")
        kinds = [one for one in _VOWELS if one in inner]
        told = f"{counted(len(kinds), 'kind')} of vowels ({', '.join(kinds) or 'none'})"
        return Answer(len(kinds) <= _MOST_VOWELS, f"{told}, at most {_MOST_VOWELS} asked")

    return rule


def consonants(_: Values) -> Rule:
    """Every word, with its marks, has two consonants in a row."""

    def rule(text: Text) -> Answer:
        for run in text.runs:
            if not _CLUSTER.search(run.text.lower()):
                return Answer(
                    False, f"{shown(run.text)} has no two consonants in a row", (run.span,)
                )
        return Answer(True, "every word has two consonants in a row")

    return rule


def palindrome(_: Values) -> Rule:
    """At least ten words of five letters or more that read the same backwards."""

    def find(text: Text) -> list[Span]:
        low = ((run.text.lower(), run.span) for run in text.plain_words)
        return [
            span for word, span in low if len(word) >= _SHORTEST_PALINDROME and word == word[::-1]
        ]

    return found("palindrome", bound("ge", _PALINDROMES), find)


def prime_lengths(_: Values) -> Rule:
    """The length of every word is a prime below 100."""
    return _all_words(
        lambda word: len(word) in _PRIMES,
        "is no prime number of characters long",
        "the length of every word is a prime",
    )


def no_consecutive(_: Values) -> Rule:
    """No word begins as the one before does."""
    return _neighbours(
        lambda before, word: before[0] != word[0],
        "begin alike",
        "no word begins as the one before",
    )


def odd_even_syllables(_: Values) -> Rule:
    """Words with an odd and an even number of syllables take turns."""
    return _neighbours(
        lambda before, word: libraries.syllables(before) % 2 != libraries.syllables(word) % 2,
        "both have an even or both an odd number of syllables",
        "odd and even numbers of syllables take turns",
    )


def repeats(params: Values) -> Rule:
    """No word is there more often than asked."""
    most = params["small_n"]

    def rule(text: Text) -> Answer:
        words = [run.text.lower() for run in text.plain_words]
        if not words:
            return Answer(True, "there is no word")
        # The first of the words that are too many decides, as the counts come in their order.
        counted_words = Counter(words)
        word, times = max(counted_words.items(), key=lambda one: one[1])
        return Answer(
            times <= most, f"{shown(word)} found {counted(times, 'time')}, at most {most} asked"
        )

    return rule


def paragraph_last_first(_: Values) -> Rule:
    """Every line ends with the word that it begins with."""

    def rule(text: Text) -> Answer:
        for start, end in line_spans(text.text):
            words = text.text[start:end].strip().lower().strip(EDGES).split()
            if words and words[0] != words[-1]:
                reason = f"a line begins with {shown(words[0])} and ends with {shown(words[-1])}"
                return Answer(False, reason, (Span(start, end),))
        return Answer(True, "every line ends with its first word")

    return rule


def start_verb(_: Values) -> Rule:
    """The response begins with a verb: no answer."""
    return lambda _: Answer(
        None, "whether the first word is a verb takes a part-of-speech tagger, which is not here"
    )
