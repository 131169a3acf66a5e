"""Which whole numbers a text names, in digits, in English words or in Chinese numerals."""

import re
from typing import Final

_UNITS: Final = {
    word: value
    for value, words in enumerate(
        (
            "zero",
            "one a an once single first",
            "two twice double second pair",
            "three thrice triple third",
            "four fourth",
            "five fifth",
            "six sixth",
            "seven seventh",
            "eight eighth",
            "nine ninth",
            "ten tenth",
            "eleven eleventh",
            "twelve twelfth dozen",
            "thirteen",
            "fourteen",
            "fifteen",
            "sixteen",
            "seventeen",
            "eighteen",
            "nineteen",
        )
    )
    for word in words.split()
}
_TENS: Final = {
    word: 20 + 10 * place
    for place, word in enumerate(
        ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
    )
}
_SCALES: Final = {"hundred": 100, "thousand": 1000}
_CHINESE: Final = {
    **{numeral: value for value, numeral in enumerate("零一二三四五六七八九")},
    "两": 2,
}
_CHINESE_SCALES: Final = {"十": 10, "百": 100, "千": 1000, "万": 10000}

_DIGITS: Final = re.compile(r"\d{1,3}(?:[,.’' \u00a0\u202f]\d{3})+(?!\d)|\d+")
_WORD: Final = re.compile(r"[a-z]+")
_NUMERALS: Final = re.compile("[零一二三四五六七八九两十百千万]+")


def numbers_in(text: str) -> frozenset[int]:
    """Every whole number the text names; ``1,500`` gives 1500, and 1 and 500 as well."""
    return frozenset(_digits(text) | _english(text) | _chinese(text))


def _digits(text: str) -> set[int]:
    grouped = {int(re.sub(r"\D", "", match[0])) for match in _DIGITS.finditer(text)}
    return grouped | {int(match) for match in re.findall(r"\d+", text)}


def _english(text: str) -> set[int]:
    found: set[int] = set()
    run: list[str] = []
    for word in [*_WORD.findall(text.lower()), ""]:
        if word in _UNITS or word in _TENS or word in _SCALES:
            run.append(word)
        elif word != "and" or not run:
            found |= _run_values(run)
            run = []
    return found


def _run_values(run: list[str]) -> set[int]:
    """The number a run of words makes, and each of its words on its own."""
    total = current = 0
    for word in run:
        if word == "hundred":
            current = (current or 1) * 100
        elif word == "thousand":
            total, current = total + (current or 1) * 1000, 0
        else:
            current += _UNITS.get(word, 0) + _TENS.get(word, 0)
    alone = {(_UNITS | _TENS)[word] for word in run if word not in _SCALES}
    return {total + current} | alone if run else set()


def _chinese(text: str) -> set[int]:
    return {_numeral_value(match[0]) for match in _NUMERALS.finditer(text)}


def _numeral_value(numeral: str) -> int:
    total = digit = 0
    for sign in numeral:
        if sign in _CHINESE_SCALES:
            total += (digit or 1) * _CHINESE_SCALES[sign]
            digit = 0
        else:
            digit = _CHINESE[sign]
    return total + digit
