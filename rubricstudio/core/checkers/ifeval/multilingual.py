"""What the instructions of M-IFEval in French, Spanish and Japanese ask beyond those of IFEval.

Quirks that are kept: a French "t'" needs a letter behind it; a Spanish number of highlights is
always a least number; Japanese letters are counted in hiragana and katakana alike.
"""

import re
import unicodedata
from typing import Final

from rubricstudio.core.checkers.answers import Answer, Values, counted, shown
from rubricstudio.core.checkers.ifeval.formats import POSTSCRIPTS
from rubricstudio.core.checkers.ifeval.patterns import enclosed, finder, literal, without
from rubricstudio.core.checkers.ifeval.rules import (
    JAPANESE,
    Make,
    Rule,
    bound,
    compared,
    counts,
    first_of,
    found,
    matches,
    none_of,
)
from rubricstudio.core.checkers.ifeval.texts import Text
from rubricstudio.core.errors import ConstraintError
from rubricstudio.core.types import Json, Span

_DIGIT: Final = re.compile(r"\d")
_WORD: Final = re.compile(r"\b\w+\b")
_TU: Final = re.compile(r"\b(?:tu|te|toi|ton|ta|tes)\b|\bt'\b", re.IGNORECASE)
_ACCENTED: Final = re.compile(
    "[àáâãäåçèéêëìíîïñòóôõöùúûüýÿÀÁÂÃÄÅÇÈÉÊËÌÍÎÏÑÒÓÔÕÖÙÚÛÜÝ]"  # "Ÿ" is not among them
)

NUMBERED_ITEM: Final = re.compile(r"^[^\S\n]*+\d++\.\s.*$", re.MULTILINE)
DOT_BULLET: Final = re.compile(r"^[^\S\n]*+・.*$", re.MULTILINE)
SPACED_DASH_BULLET: Final = re.compile(r"^[^\S\n]*+-\s++.*$", re.MULTILINE)
_HIGHLIGHT: Final = re.compile(r"《[^\n《》]*》")
_KANJI: Final = re.compile(r"[\u4e00-\u9faf]")
_KANJI_RUN: Final = re.compile(r"[\u4e00-\u9faf]+")
_READ_KANJI: Final = re.compile(r"(?<![\u4e00-\u9faf])[\u4e00-\u9faf]++（[ぁ-ん]++）")
_STOPS: Final = re.compile(r"[。！？]")
_TO_KATAKANA: Final = ord("ァ") - ord("ぁ")
_EMPHASIS: Final = "*_`"
_JAPANESE_POSTSCRIPTS: Final = {**POSTSCRIPTS, "P.P.S.": r"p\.\s?p\.\s?s\."}
_LEADING: Final = re.compile(r">\s*|#{1,6}\s*|[-*+]\s+|・\s*|\d+[.)]\s+|[*_`]+|[「『（(《〈]+")


def no_digits(_: Values) -> Rule:
    """There is no digit."""
    return none_of("digit", lambda text: matches(_DIGIT, text.text))


def forbidden_char(params: Values) -> Rule:
    """A character is nowhere, in either case."""
    character = params["forbidden_char"]
    find = literal(character)
    return none_of(shown(character), lambda text: find(text.text))


def informal_address(_: Values) -> Rule:
    """The reader is called "tu" in one of its forms."""
    return found("form of tu", bound("ge", 1), lambda text: matches(_TU, text.text))


def no_accents(_: Values) -> Rule:
    """No letter has an accent; "œ" has none."""
    return none_of("accent", lambda text: matches(_ACCENTED, text.text))


def accents(params: Values) -> Rule:
    """Each of some words, where it is used, has its accents."""
    right = {key: str(word) for key, word in params["word_to_accentuate"].items()}

    def rule(text: Text) -> Answer:
        for one in _WORD.finditer(text.lower):
            word = one.group()
            asked = right.get(bare(word), word)
            if word != asked:
                spans = (Span(*one.span()),) if len(text.lower) == len(text.text) else ()
                return Answer(False, f"{shown(word)}, {shown(asked)} asked", spans)
        return Answer(True, "no word lacks its accents")

    return rule


def bare(word: str) -> str:
    """A word without accents."""
    if word.isascii():
        return word
    letters = (one for letter in word for one in unicodedata.normalize("NFKD", letter))
    return "".join(one for one in letters if not unicodedata.combining(one))


def between_marks(left: str, right: str, noun: str) -> Make:
    """Something stands between an opening and a closing mark."""

    def rule(text: Text) -> Answer:
        for start, end in enclosed(text.text, left, right, across_lines=True):
            inside = text.text[start:end].lstrip(left).rstrip(right).strip()
            if inside:
                return Answer(True, f"{noun} is {shown(inside)}", (Span(start, end),))
        return Answer(False, f"nothing between {left} and {right}")

    return lambda _: rule


def without_stop(text: str) -> str:
    """A text without straight double quotes around it and one full stop at its end."""
    return text.strip('"').removesuffix(".")


def without_emphasis(text: str) -> str:
    """A text without emphasis at its end and Japanese quotes around it."""
    end = len(text)
    while end and (text[end - 1] in _EMPHASIS or text[end - 1].isspace()):
        end -= 1
    return text[:end].strip().strip("」』")


def begins_with(paragraph: str, word: str) -> tuple[bool, str]:
    """Whether a paragraph begins with a word, behind marks of lists, headings and quotes."""
    at = 0
    while (lead := _LEADING.match(paragraph, at)) is not None:
        at = lead.end()
    seen = paragraph[at : at + len(word)]
    return seen == word, seen


def japanese_postscript(params: Values) -> Rule:
    """A postscript marker is found anywhere, in any case."""
    marker = params["postscript_marker"].strip()
    pattern = _JAPANESE_POSTSCRIPTS.get(marker)
    find = finder(pattern) if pattern else literal(marker)

    def rule(text: Text) -> Answer:
        first = first_of(find(text.text))[:1]
        told = "a postscript begins" if first else "no postscript that begins"
        return Answer(bool(first), f"{told} with {shown(marker)}", first)

    return rule


def japanese_highlights(params: Values) -> Rule:
    """At least a number of texts in 《》."""

    def find(text: Text) -> list[Span]:
        every = _HIGHLIGHT.finditer(text.text)
        return [Span(*one.span()) for one in every if one.group().strip("《》").strip()]

    return found("highlight", bound("ge", params["num_highlights"]), find)


def japanese_section(mark: str) -> str:
    """The pattern of a section mark: a number between 第 and the word."""
    return rf"\s?第[\d\uFF10-\uFF19]+{mark}\s?"


def japanese_letter(params: Values) -> Rule:
    """A kana, as hiragana or as katakana, is there a number of times."""
    letter = params["letter"]
    other = chr(ord(letter) + _TO_KATAKANA)
    asked = compared(params, "let_frequency", JAPANESE, "let_relation")

    def count(text: Text) -> int:
        return text.text.count(letter) + text.text.count(other)

    return counts("time", asked, count, of=f"{shown(letter)} found ")


def one_hiragana(params: Values) -> dict[str, Json]:
    """Refuse a letter that is not one hiragana."""
    letter = params["letter"]
    if len(letter) != 1 or not "ぁ" <= letter <= "ん":
        raise ConstraintError(f"the letter {letter!r:.40} has to be one hiragana")
    return dict(params)


def furigana(_: Values) -> Rule:
    """As many runs of kanji as runs with their reading in （）."""

    def rule(text: Text) -> Answer:
        runs = sum(1 for _ in _KANJI_RUN.finditer(text.text))
        read = sum(1 for _ in _READ_KANJI.finditer(text.text))
        return Answer(runs == read, f"{counted(runs, 'run')} of kanji, {read:,} with a reading")

    return rule


def kanji(params: Values) -> Rule:
    """A number of kanji."""
    asked = compared(params, "kanji_limit", JAPANESE)
    return counts("character", asked, lambda text: len(_KANJI.findall(text.text)), of="kanji: ")


def no_kana(ranges: str, noun: str) -> Make:
    """No character of a range."""
    pattern = re.compile(f"[{ranges}]")
    return lambda _: none_of(noun, lambda text: matches(pattern, text.text))


def kana_only(ranges: str, noun: str) -> Make:
    """Every letter is of a range; what is no letter does not matter."""
    other = re.compile(f"[^{ranges}]")

    def rule(text: Text) -> Answer:
        for one in other.finditer(text.text):
            if unicodedata.category(one.group()).startswith("L"):
                return Answer(False, f"{shown(one.group())} is no {noun}", (Span(*one.span()),))
        return Answer(True, f"every letter is a {noun}")

    return lambda _: rule


def sentence_unified_end(params: Values) -> Rule:
    """Every sentence outside of 「」 and 『』 ends as asked."""
    ending = params["ending"]

    def rule(text: Text) -> Answer:
        for sentence in _STOPS.split(_unquoted(text.text)):
            if sentence and not sentence.endswith(ending):
                return Answer(False, f"a sentence is {shown(sentence)}, {shown(ending)} asked")
        return Answer(True, f"every sentence ends with {shown(ending)}")

    return rule


def _unquoted(text: str) -> str:
    for left, right in ("「」", "『』"):
        text = without(text, enclosed(text, left, right))
    return text
