"""What a word is in ``studio/1``.

A word is a run of letters and digits. It may hold single apostrophes, hyphens (also before a line
break), underscores, and a full stop or comma between digits; initials such as "U.S.A." are one
word. Han characters and kana are one word each, unless runs are asked for. A URL or an e-mail
address is one. Emoji, lone punctuation, markdown markers and the number of a list item are none.
"""

import re
from bisect import bisect_left, bisect_right
from typing import Final

import regex

from rubricstudio.core.types import Span

_CJK: Final = r"\p{Han}\p{Hiragana}\p{Katakana}\u30fc\uff70"
_NOT_IN_URL: Final = rf"\s<>\"'`()\[\]{{}}|{_CJK}\u3000-\u303f\uff00-\uffef"
_PATH: Final = rf"(?:[^{_NOT_IN_URL}]|\([^\s()]*\))"
_URL: Final = rf"(?:https?://|ftp://|www\.){_PATH}+"
# The lengths that an address may have bound what is tried at each of a long token's letters.
_LABEL: Final = r"[\p{L}\p{N}-]{1,63}"
_MAIL: Final = rf"[\p{{L}}\p{{N}}._%+-]{{1,64}}@{_LABEL}(?:\.{_LABEL}){{1,8}}"
# A bare address ends in one of the commonest domains; "end.Next" is two words without a space.
_DOMAIN: Final = (
    rf"{_LABEL}(?:\.{_LABEL}){{0,8}}?\.(?:com|org|net|edu|gov|io|co\.uk)"
    rf"(?![\p{{L}}\p{{N}}])(?:/{_PATH}*)?"
)
_INITIALS: Final = r"(?:\p{L}(?:\.\p{L})+|Ph\.D)(?![\p{L}\p{M}\p{N}])"
_JOINER: Final = r"(?:['’＇·״׳\u00ad\u200c\u200d‐‑-]|_+|(?<=\p{N})[.,](?=\p{N}))"
# A digit that a keycap turns into an emoji is no word.
_NO_KEYCAP: Final = r"(?![0-9]\ufe0f?\u20e3)"


def _pattern(single: str) -> "regex.Pattern[str]":
    """A word, where every character of the class ``single`` is a word of its own."""
    first, inner, alone = r"[\p{L}\p{N}]", r"[\p{L}\p{M}\p{N}]", ""
    if single:
        first, inner = rf"[{first}--[{single}]]", rf"[{inner}--[{single}]]"
        alone = rf"[{single}]\p{{M}}*|"
    run = rf"{first}{inner}*(?:{_JOINER}{first}{inner}*)*"
    initials = rf"{_INITIALS}(?:\.?['’-]{run})?"
    words = rf"{_URL}|{_MAIL}|{_DOMAIN}|{alone}{initials}|{_NO_KEYCAP}{run}"
    return regex.compile(words, regex.V1)


_PATTERNS: Final = {True: _pattern(_CJK), False: _pattern("")}
# The number of a list item, or the tick of a task: one word each if nobody knew better.
_ITEM_MARK: Final = re.compile(r"\n[ \t>]*(?:[0-9]{1,3}[.)]|[-*+] \[[xX]\])(?=\s|$)")
_TOKEN: Final = re.compile(r"\S+")
_WRAPPED_HYPHEN: Final = re.compile(r"(?<=\w)([-‐‑])\n(?=\w)")


class _Counts(dict[str, int]):
    """Words per token, remembered: a text repeats its tokens, and other texts use them too."""

    LIMIT = 50_000
    LONGEST = 40

    def __init__(self, pattern: "regex.Pattern[str]") -> None:
        super().__init__()
        self.pattern = pattern

    def __missing__(self, token: str) -> int:
        count = len(self.pattern.findall(token))
        if len(token) <= self.LONGEST:
            if len(self) >= self.LIMIT:
                self.clear()
            self[token] = count
        return count


_COUNTS: Final = {cjk: _Counts(pattern) for cjk, pattern in _PATTERNS.items()}


def find_words(text: str, *, cjk_characters: bool = True) -> list[str]:
    """The words of a text, in order; ``cjk_characters=False`` takes runs of Han or kana as one."""
    pattern = _PATTERNS[cjk_characters]
    body = _ITEM_MARK.sub("\n", "\n" + _join_wrapped(text))
    return [word for token in body.split() for word in pattern.findall(token)]


def find_word_spans(text: str) -> list[Span]:
    """Where the words of ``find_words`` stand in the text."""
    joined = [found.end() - 1 for found in _WRAPPED_HYPHEN.finditer(text)]
    # Where a dropped line break stood, counted in the text without the ones before it.
    dropped = [at - number for number, at in enumerate(joined)]
    body = _ITEM_MARK.sub(lambda mark: "\n" + " " * (len(mark[0]) - 1), "\n" + _join_wrapped(text))
    return [
        Span(start + bisect_right(dropped, start), end + bisect_left(dropped, end))
        for token in _TOKEN.finditer(body[1:])
        for start, end in _inside(token)
    ]


def _inside(token: re.Match[str]) -> list[tuple[int, int]]:
    at = token.start()
    return [(at + one.start(), at + one.end()) for one in _PATTERNS[True].finditer(token[0])]


def count_words(text: str, *, cjk_characters: bool = True) -> int:
    """How many words a text has; the same as the length of ``find_words``, but faster."""
    body = _join_wrapped(text)
    total = sum(map(_COUNTS[cjk_characters].__getitem__, body.split()))
    return total - len(_ITEM_MARK.findall("\n" + body))


def _join_wrapped(text: str) -> str:
    """Put "co-" and "operate" of the next line together; white space never joins otherwise."""
    # To look for one character takes a twentieth of the time that two in a row take.
    if any(hyphen in text and hyphen + "\n" in text for hyphen in "-‐‑"):
        return _WRAPPED_HYPHEN.sub(r"\1", text)
    return text
