"""What a sentence is in ``studio/1``: a splitter by rules.

A run of end marks ends a sentence when white space follows (none is needed after the full stops of
Chinese and Japanese) and the next word could begin one. Closing quotes, brackets and citations
such as "[3]" belong to the sentence they close. A full stop after a title, an initial, a
reference ("Fig. 3") or an abbreviation does not end one, unless the next word is of the kind that
sentences begin with. List items end with their lines; headings are no sentences; code and tables
are left out, and where nothing else is left the splitter abstains.
"""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

import regex

from rubricstudio.core.checkers.segmentation.blocks import Block, BlockKind
from rubricstudio.core.checkers.segmentation.lines import (
    is_delimiter_row,
    without_quote_marks,
)

_WIDE_STOPS: Final = "。！？｡．"
_MARKS: Final = rf".!?…؟۔।॥{_WIDE_STOPS}"
_CITATION: Final = r"\[[0-9]+(?:[,–-] ?[0-9]+)*\]"
# A pattern that begins with one character of a set is searched for twice as fast as with a run.
_END: Final = re.compile(rf"([{_MARKS}][{_MARKS}]*+)(?:{_CITATION}|[\"'”’»\)\]}}】」』〉》*_~`])*")
_WORD: Final = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_UNSPACED: Final = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}]")
_INITIALS: Final = re.compile(r"[^\W\d_](?:\.[^\W\d_])+|[Pp]h\.[Dd]")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_TITLES: Final = _words(
    "mr mrs ms dr prof st mt messrs mme mlle gen col maj sgt lt capt cmdr adm sen rep gov pres "
    "rev fr hon vs cf viz i.e e.g resp approx"
)
"""Abbreviations that a sentence never ends with."""

_BEFORE_NUMBERS: Final = _words("no nos fig figs eq eqs vol ch sec p pp pt ex ref refs")
"""Abbreviations in front of a number; before anything else they are words."""

_SUFFIXES: Final = _words(
    "etc inc ltd co corp jr sr bros esq al ave blvd rd dept univ est ca "
    "jan feb mar apr jun jul aug sep sept oct nov dec"
)
"""Abbreviations that a sentence may end with."""

_ABBREVIATIONS: Final = _TITLES | _BEFORE_NUMBERS | _SUFFIXES

_STARTERS: Final = _words(
    "the a an this that these those he she it they we you i his her its their our your my there "
    "here what when where why who how which if in on at as for from with by and but or so yet "
    "then however although though while after before since because once also now today many most "
    "some all no not it's i'm he's she's they're we're that's there's don't let's"
)
"""Words that show, after an abbreviation, that a new sentence begins."""


def split_sentences(text: str, *, small: bool = False) -> list[str]:
    """The sentences of one piece of running text; parts without a letter or digit are none.

    ``small`` says that the whole text is in lower case, where case tells nothing about a start.
    """
    flat = " ".join(text.split()) if "\n" in text or "  " in text else text.strip()
    ends = [0, *_ends(flat, small=small), len(flat)]
    sentences = [flat[start:end].strip() for start, end in pairwise(ends)]
    return [one for one in sentences if one[:1].isalnum() or _WORD.search(one)]


def _ends(text: str, *, small: bool) -> Iterator[int]:
    """Where sentences end that others follow."""
    following: re.Match[str] | None = None
    for match in _END.finditer(text):
        # One search serves all end marks in front of the word that it finds.
        if following is None or following.start() < match.end():
            following = _WORD.search(text, match.end())
        if following is None:
            return
        if _is_end(text, match, following[0], small=small):
            yield match.end()


def _is_end(text: str, match: re.Match[str], following: str, *, small: bool) -> bool:
    marks, after = match[1], text[match.end()]
    if after != " ":
        return marks[-1] in _WIDE_STOPS or _UNSPACED.match(after) is not None
    begins = small or not following[0].islower() or following != following.lower()
    if not begins:
        return marks[-1] in _WIDE_STOPS
    return marks != "." or not _abbreviates(text, match.start(), following)


def _abbreviates(text: str, stop: int, following: str) -> bool:
    before = text[text.rfind(" ", 0, stop) + 1 : stop].lstrip("([{\"'“‘«*_")
    word = before.lower()
    # Nearly every word in front of a full stop is none of the kinds below.
    if word not in _ABBREVIATIONS and len(before) > 1 and "." not in before:
        return False
    if word in _TITLES:
        return True
    if word in _BEFORE_NUMBERS:
        return following[0].isdigit()
    initial = len(before) == 1 and before.isupper()
    if initial or word in _SUFFIXES or _INITIALS.fullmatch(before):
        return following.lower().replace("’", "'") not in _STARTERS
    return False


def find_sentences(text: str, runs: list[Block]) -> list[str] | None:
    """The sentences of a text by its runs; ``None`` when it is nothing but code and tables."""
    prose = (run for run in runs if run.kind not in (BlockKind.HEADING, BlockKind.CODE))
    pieces = [piece for run in prose for piece in _pieces(text, run)]
    if not pieces and any(run.kind is not BlockKind.HEADING for run in runs):
        return None
    small = text == text.lower()
    return [one for piece in pieces for one in split_sentences(piece, small=small)]


def _pieces(text: str, run: Block) -> Iterator[str]:
    """The parts of a run that sentences cannot cross."""
    start = run.start
    for line, text_at in run.items:
        yield from _running_text(text[start:line])
        start = text_at
    yield from _running_text(text[start : run.end])


def _running_text(text: str) -> Iterator[str]:
    """A text without tables and the marks of block quotes, unless nothing is left."""
    if "|" in text or ">" in text:
        lines = [without_quote_marks(line) for line in text.split("\n")]
        text = "\n".join(_without_table(lines))
    if text.strip():
        yield text


def _without_table(lines: list[str]) -> list[str]:
    """Lines without the rows of a table: its head stands above the row of dashes."""
    rules = [at for at, line in enumerate(lines) if is_delimiter_row(line)]
    rows = {at for rule in rules for at in range(max(rule - 1, 0), _table_end(lines, rule))}
    return [line for at, line in enumerate(lines) if at not in rows]


def _table_end(lines: list[str], rule: int) -> int:
    end = rule + 1
    while end < len(lines) and "|" in lines[end]:
        end += 1
    return end
