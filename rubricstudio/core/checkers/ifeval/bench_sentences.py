"""IFBench: the family ``sentence``, and the words that join sentences.

Quirks that are kept: a sentence after another without any alliteration does not have more of it,
so a second one fails; the last word of a sentence keeps its capital apart, but not a curly quote.
"""

import re
from itertools import pairwise
from typing import Final

from rubricstudio.core.checkers.answers import Answer, Values, counted, shown
from rubricstudio.core.checkers.ifeval import libraries
from rubricstudio.core.checkers.ifeval.rules import Rule
from rubricstudio.core.checkers.ifeval.texts import EDGES, Text, without_marks

_LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"


def _told(text: Text, place: int, reason: str) -> Answer:
    """A failure in one sentence, counted from 0."""
    return Answer(False, f"sentence {place + 1}: {reason}", (text.sentence_spans[place],))


def keyword(params: Values) -> Rule:
    """The n-th sentence holds a word."""
    place, word = params["N"], params["word"]
    pattern = re.compile(rf"\b{re.escape(word)}\b", re.IGNORECASE)

    def rule(text: Text) -> Answer:
        if len(text.sentences) < place:
            return Answer(
                False, f"{counted(len(text.sentences), 'sentence')}, number {place} asked"
            )
        if not pattern.search(text.sentences[place - 1]):
            return _told(text, place - 1, f"{shown(word)} not found")
        span = text.sentence_spans[place - 1]
        return Answer(True, f"sentence {place} holds {shown(word)}", (span,))

    return rule


def increment(params: Values) -> Rule:
    """Every sentence has exactly so many words more than the one before."""
    step = params["small_n"]

    def rule(text: Text) -> Answer:
        sizes = [len(without_marks(sentence).split()) for sentence in text.sentences]
        for place in range(1, len(sizes)):
            if sizes[place] != sizes[place - 1] + step:
                reason = f"{counted(sizes[place], 'word')} after {sizes[place - 1]}"
                return _told(text, place, f"{reason}, {step} more asked")
        return Answer(True, f"every sentence has {step} more words than the one before")

    return rule


def alliteration(_: Values) -> Rule:
    """Every sentence has more words in runs of one first letter than the one before."""

    def rule(text: Text) -> Answer:
        before = -1
        for place, sentence in enumerate(text.sentences):
            size = _alliterative(sentence)
            if size <= before:
                return _told(
                    text, place, f"{counted(size, 'alliterative word')} after {before}, more asked"
                )
            before = size
        return Answer(True, "every sentence has more alliterative words than the one before")

    return rule


def _alliterative(sentence: str) -> int:
    words = [word.lstrip(EDGES) for word in sentence.lower().split()]
    letters = [word[0] for word in words if word]
    total, running = 0, False
    for left, right in pairwise(letters):
        if left == right:
            total += 1 if running else 2
        running = left == right
    return total


def last_first(_: Values) -> Rule:
    """The last word of a sentence is the first word of the next."""

    def rule(text: Text) -> Answer:
        for place in range(1, len(text.sentences)):
            last = text.sentences[place - 1].rstrip(EDGES).split()[-1:]
            first = text.sentences[place].lstrip(EDGES).split()[:1]
            if not last or not first or last[0].lower() != first[0].lower():
                told = f"begins with {shown(first[0])}" if first else "has no word"
                asked = f", {shown(last[0])} asked" if last else ""
                return _told(text, place, told + asked)
        return Answer(True, "every sentence begins with the last word of the one before")

    return rule


def sentence_alphabet(_: Values) -> Rule:
    """26 sentences begin with the letters of the alphabet in order."""

    def rule(text: Text) -> Answer:
        if len(text.sentences) != len(_LETTERS):
            return Answer(False, f"{counted(len(text.sentences), 'sentence')}, exactly 26 asked")
        for place, (sentence, letter) in enumerate(zip(text.sentences, _LETTERS, strict=True)):
            words = sentence.split(maxsplit=1)
            if not words or words[0].lower()[0] != letter:
                return _told(text, place, f"begins with {shown(sentence)}, {letter} asked")
        return Answer(True, "26 sentences begin with the letters in order")

    return rule


def keyword_position(params: Values) -> Rule:
    """A keyword is the m-th token of the n-th sentence; marks are tokens too."""
    place, position, word = params["n"], params["m"], params["keyword"].strip()

    def rule(text: Text) -> Answer:
        if len(text.sentences) < place:
            return Answer(
                False, f"{counted(len(text.sentences), 'sentence')}, number {place} asked"
            )
        tokens = Text(text.sentences[place - 1]).tokens
        if len(tokens) < position:
            return _told(
                text, place - 1, f"{counted(len(tokens), 'token')}, number {position} asked"
            )
        seen = tokens[position - 1]
        if seen.lower() != word.lower():
            return _told(text, place - 1, f"token {position} is {shown(seen)}, {shown(word)} asked")
        return Answer(True, f"token {position} of sentence {place} is {shown(seen)}")

    return rule


def words_position(params: Values) -> Rule:
    """The second token and the last but one are the keyword; marks are tokens too."""
    word = params["keyword"].strip()

    def rule(text: Text) -> Answer:
        tokens = text.tokens
        if len(tokens) < 2:
            return Answer(False, f"{counted(len(tokens), 'token')}, at least 2 asked")
        second, last_but_one = tokens[1], tokens[-2]
        right = second.lower() == last_but_one.lower() == word.lower()
        told = f"the second token is {shown(second)}, the last but one {shown(last_but_one)}"
        return Answer(right, told if right else f"{told}, {shown(word)} asked")

    return rule


def emoji_at_ends(_: Values) -> Rule:
    """Every sentence ends with an emoji, or the next one begins with it."""
    return _has_emoji


def _has_emoji(text: Text) -> Answer:
    plain = [without_marks(sentence).strip() for sentence in text.sentences]
    for place, sentence in enumerate(plain):
        # One character more is looked at, for an emoji may be followed by a sign of its form.
        near = [*sentence[-2:]]
        if not any(map(libraries.is_emoji, near)):
            following = plain[place + 1] if sentence and place + 1 < len(plain) else ""
            if not following or not libraries.is_emoji(following[0]):
                return _told(text, place, "no emoji at its end")
    return Answer(True, "an emoji at the end of every sentence")
