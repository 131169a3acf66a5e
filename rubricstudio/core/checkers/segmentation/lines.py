"""The lines of a text that mean something to its structure, found in one pass.

Blank lines, thematic breaks, headings with their underlines, fences and list items. Every other
line is plain text, and no time is spent on it. White space is matched possessively throughout:
no text, however long or odd, makes a pattern try the same characters again and again.
"""

import re
from functools import lru_cache
from typing import Final

# A line of long dashes or a bullet sign is to every reader what the Markdown sign is.
_BLANK: Final = r"(?P<blank>[^\S\n]*(?:\n[^\S\n]*)*)(?=\n)"
_RULE: Final = (
    r"(?P<rule> {0,3}(?:(?:-[ \t]*+){3,}+|(?:\*[ \t]*+){3,}+|(?:_[ \t]*+){3,}+"
    r"|(?:⸻|[—―─━]{3,}+)[ \t]*+))"
)
_UNDERLINE: Final = r"(?P<underline> {0,3}={3,}+[ \t]*+)"
_HEADING: Final = r"(?P<heading> {0,3}#{1,6}(?=\s|\Z))"
_FENCE: Final = r"(?P<fence>[ \t]*+(?:`{3,}+(?=[^`\n]*(?:\n|\Z))|~{3,}+))"
_ITEM: Final = r"(?P<item>[ \t]*+(?:[-*+•‣◦▪●]|[0-9]{1,3}[.)])(?:[ \t]++|(?=\n)|\Z))"

MARKS: Final = re.compile(
    # What no marked line can begin with is passed over by one look.
    r"\n(?=\s*[-*_#=`~+•‣◦▪●⸻—―─━0-9\n])"
    rf"(?:{_BLANK}|(?:{_RULE}|{_UNDERLINE})(?=\n|\Z)|{_HEADING}|{_FENCE}|{_ITEM})"
)
"""A line break and the mark behind it; the name of the group says what it is.

To be searched in a text with a line break in front, so that its first line has one as well.
"""

_DELIMITER_ROW: Final = re.compile(
    r"[ \t]*+\|?[ \t]*+:?-++:?[ \t]*+(?:\|[ \t]*+(?::?-++:?)?[ \t]*+)++"
)
_QUOTE: Final = re.compile(r"(?: {0,3}>[ \t]?)+")


def indent_at(text: str, start: int) -> int:
    """How far the line that begins at a position is indented; a tab reaches to a multiple of 4."""
    end = start
    while text[end : end + 1] in (" ", "\t"):
        end += 1
    return len(text[start:end].expandtabs(4))


def line_end(text: str, start: int) -> int:
    """Where the line ends in which a position lies."""
    end = text.find("\n", start)
    return len(text) if end < 0 else end


def code_end(text: str, start: int, end: int) -> int:
    """Where the code ends that a fence opens: with its closing line, or with the text."""
    match = _closing(text[start:end].strip()).search(text, line_end(text, end))
    return len(text) if match is None else match.end()


@lru_cache(maxsize=64)
def _closing(fence: str) -> re.Pattern[str]:
    return re.compile(rf"\n[ \t]*+{re.escape(fence)}{re.escape(fence[0])}*+[ \t]*+(?=\n|\Z)")


def is_delimiter_row(line: str) -> bool:
    """Whether a line is the row of dashes under the head of a table."""
    return "|" in line and "-" in line and _DELIMITER_ROW.fullmatch(line) is not None


def without_quote_marks(line: str) -> str:
    """A line without the ">" of a block quote."""
    match = _QUOTE.match(line) if ">" in line else None
    return line[match.end() :] if match else line
