"""Making characters equal that a search should not tell apart, each kept in its place."""

from functools import lru_cache
from string import ascii_lowercase, ascii_uppercase
from typing import Final, NamedTuple


class Folding(NamedTuple):
    """What is made equal: upper and lower case, and curly and straight quotes."""

    case: bool = True
    quotes: bool = True


# A response may hold half of a surrogate pair, which is no text to anybody else.
_UTF_8: Final = ("utf-8", "surrogatepass")
EVERYTHING: Final = Folding()

_SAME_QUOTES: Final = (
    *(("'", curly) for curly in "‘’‚‛′＇"),
    *(('"', curly) for curly in "“”„‟″＂"),
)
_ASCII_WHITE: Final = "\n\t\x0b\x0c\x1c\x1d\x1e\x1f"
_WHITE: Final = (
    "\x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)


_ASCII: Final = bytes(range(128))
_ASCII_FOLDED: Final = {
    False: bytes.maketrans(_ASCII_WHITE.encode(), b" " * len(_ASCII_WHITE)),
    True: bytes.maketrans(
        (_ASCII_WHITE + ascii_uppercase).encode(),
        (" " * len(_ASCII_WHITE) + ascii_lowercase).encode(),
    ),
}
_FEW: Final = 32
"""So many characters beyond ASCII are replaced one after the other."""


def fold(text: str, folding: Folding = EVERYTHING) -> str:
    """A text of the same length, with spaces for white space and what is folded made equal."""
    # A table of bytes takes a fraction of the time that the same takes on characters.
    raw = text.encode(*_UTF_8)
    folded = raw.translate(_ASCII_FOLDED[folding.case]).decode(*_UTF_8)
    if text.isascii():
        return folded
    others = set(raw.translate(None, _ASCII).decode(*_UTF_8))
    if len(others) > _FEW:
        return _fold_each(folded, folding)
    for character in others:
        same_as = _fold_one(character, folding)
        if same_as != character:
            folded = folded.replace(character, same_as)
    return folded


def _fold_each(text: str, folding: Folding) -> str:
    # Replacing one character after the other is many times faster than a table or a pattern.
    for white in _WHITE:
        text = text.replace(white, " ")
    if folding.quotes:
        for straight, curly in _SAME_QUOTES:
            text = text.replace(curly, straight)
    if not folding.case:
        return text
    # The only letter whose lower case is longer, and the only one that depends on its neighbours.
    return text.replace("İ", "I").lower().replace("ς", "σ")


_fold_one: Final = lru_cache(maxsize=8192)(_fold_each)
