"""Making characters equal that a search should not tell apart, each kept in its place."""

from typing import Final, NamedTuple


class Folding(NamedTuple):
    """What is made equal: upper and lower case, and curly and straight quotes."""

    case: bool = True
    quotes: bool = True


EVERYTHING: Final = Folding()

_SAME_QUOTES: Final = (
    *(("'", curly) for curly in "‘’‚‛′＇"),
    *(('"', curly) for curly in "“”„‟″＂"),
)
_ASCII_WHITE: Final = "\n\t\x0b\x0c\x1c\x1d\x1e\x1f"
_WHITE: Final = (
    _ASCII_WHITE
    + "\x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)


def fold(text: str, folding: Folding = EVERYTHING) -> str:
    """A text of the same length, with spaces for white space and what is folded made equal."""
    # Replacing one character after the other is many times faster than a table or a pattern.
    ascii_only = text.isascii()
    for white in _ASCII_WHITE if ascii_only else _WHITE:
        text = text.replace(white, " ")
    if folding.quotes and not ascii_only:
        for straight, curly in _SAME_QUOTES:
            text = text.replace(curly, straight)
    return _lower(text) if folding.case else text


def _lower(text: str) -> str:
    # The only letter whose lower case is longer, and the only one that depends on its neighbours.
    return text.replace("İ", "I").lower().replace("ς", "σ")
