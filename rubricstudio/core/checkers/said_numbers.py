"""The numbers that a text says, in digits or in words, English or Chinese.

What a prompt asks for is compared with what was read from it: "in three paragraphs", "第二段",
"at least 1,200 words". Reading too much is harmless here, reading too little is not: "a" says 1,
and "twenty-five" says 25, 20 and 5.
"""

import re
import unicodedata
from typing import Final

_UNITS: Final = {
    word: number
    for number, words in enumerate(
        [
            *(
                "zero none no",
                "one once first a an single only",
                "two twice second both pair couple",
            ),
            *("three third thrice triple", "four fourth quarter", "five fifth", "six sixth"),
            *("seven seventh", "eight eighth", "nine ninth", "ten tenth", "eleven eleventh"),
            *("twelve twelfth dozen", "thirteen thirteenth", "fourteen fourteenth"),
            *("fifteen fifteenth", "sixteen sixteenth", "seventeen seventeenth"),
            *("eighteen eighteenth", "nineteen nineteenth"),
        ]
    )
    for word in words.split()
}
_TENS: Final = {
    word: 10 * number
    for number, word in enumerate(
        ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"], start=2
    )
}
_LAST: Final = {"last": -1, "final": -1, "penultimate": -2}
_SCALES: Final = {"hundred": 100, "thousand": 1_000, "million": 1_000_000}
_HAN_DIGITS: Final = {
    **{character: number for number, character in enumerate("零一二三四五六七八九")},
    **{"〇": 0, "两": 2, "兩": 2, "首": 1, "单": 1, "單": 1},
}
_HAN_SCALES: Final = {"十": 10, "百": 100, "千": 1_000, "万": 10_000, "萬": 10_000}
_HAN_LAST: Final = "最后|最後|末"

_WORD: Final = re.compile(r"[a-z]+", re.IGNORECASE)
_DIGITS: Final = re.compile(r"\d{1,3}(?:[,\N{NARROW NO-BREAK SPACE} ]\d{3})+(?!\d)|\d+")
_MOST_DIGITS: Final = 15
_HAN: Final = re.compile(f"[{''.join({**_HAN_DIGITS, **_HAN_SCALES})}]+")


_READ: Final = re.compile(
    r"[一-鿿]|\b(?:the|least|most|than|exactly|words?|sentences?|paragraphs?|lines?|times|with|"
    r"should|must|your|response|answer|no|not|and)\b",
    re.IGNORECASE,
)


def says_numbers_readably(text: str) -> bool:
    """Whether a text is in a language whose number words are read here, English or Chinese."""
    return _READ.search(text) is not None


def said_numbers(text: str) -> frozenset[int]:
    """All whole numbers that the text may say; the last of something counts as -1."""
    plain = unicodedata.normalize("NFKC", text)
    return frozenset({*_in_digits(plain), *_in_words(plain), *_in_han(plain)})


def _in_digits(text: str) -> set[int]:
    found = set()
    for match in _DIGITS.finditer(text):
        whole = re.sub(r"\D", "", match[0])
        if len(whole) <= _MOST_DIGITS:
            # "1, 200" may be a list; then each of its parts is said.
            found |= {int(whole), *(int(part) for part in re.findall(r"\d+", match[0]))}
    return found


def _in_words(text: str) -> set[int]:
    found: set[int] = set()
    total = current = 0
    for word in _WORD.findall(text.lower()):
        singular = word.removesuffix("s")
        if word in _LAST:
            found.add(_LAST[word])
        elif singular in _SCALES:
            scale = _SCALES[singular]
            if scale == 100:
                current = max(current, 1) * scale
            else:
                total, current = total + max(current, 1) * scale, 0
            found.add(total + current)
        elif word in _TENS:
            current += _TENS[word]
            found |= {_TENS[word], total + current}
        elif (number := _UNITS.get(word, _UNITS.get(singular))) is not None:
            current += number
            found |= {number, total + current}
            # After units comes a scale, or another number begins.
            continue
        elif word != "and":
            total = current = 0
    return found


def _in_han(text: str) -> set[int]:
    found = {_han_number(match[0]) for match in _HAN.finditer(text)}
    return found | ({-1} if re.search(_HAN_LAST, text) else set())


def _han_number(characters: str) -> int:
    """三百二十 -> 320; a run without a scale is read digit by digit: 二〇 -> 20."""
    if not set(characters) & set(_HAN_SCALES):
        return int("".join(str(_HAN_DIGITS[one]) for one in characters[:_MOST_DIGITS]))
    total = part = digit = 0
    for one in characters:
        if one in _HAN_DIGITS:
            digit = _HAN_DIGITS[one]
        elif _HAN_SCALES[one] == 10_000:
            total, part, digit = total + max(part + digit, 1) * 10_000, 0, 0
        else:
            part, digit = part + max(digit, 1) * _HAN_SCALES[one], 0
    return total + part + digit
