"""What a reader of rendered Markdown sees of a text, and which parts of a text are code.

What a mark encloses holds no such mark, and everything repeated is matched possessively, so that
no text makes these patterns slow.
"""

import re
from typing import Final

_STEPS: Final = (
    # Fence lines and table rules show as nothing.
    (re.compile(r"(?m)^[ \t]*+(?:`{3,}|~{3,}).*$"), ""),
    (
        re.compile(
            r"(?m)^[ \t]*+\|?(?:[ \t]*+:?-{2,}+:?[ \t]*+\|)++[ \t]*+(?::?-{2,}+:?[ \t]*+)?$"
        ),
        "",
    ),
    (re.compile(r"(?m)^ {0,3}([-*_])(?:[ \t]*+\1){2,}+[ \t]*+$"), ""),
    # Headings, quotes and bullets show as their text; a number stays a number.
    (re.compile(r"(?m)^[ \t]*+(?:#{1,6}[ \t]++|>[ \t]?|[-*+][ \t]++)++"), ""),
    # A picture shows as its description, a link as its text.
    (
        re.compile(
            r"!?\[([^\[\]\n]*+)\]\([^()\s]*+(?:\([^()\s]*+\)[^()\s]*+)*+(?:[ \t]++\"[^\"\n]*+\")?\)"
        ),
        r"\1",
    ),
    (re.compile(r"(?<![\\`])(`{1,3})([^`\n]++)\1(?!`)"), r"\2"),
    # Twice, the inner mark first: each encloses no mark of its own kind.
    *2 * ((re.compile(r"(?<!\\)(\*{1,3}|~~)(?=[^\s*~])([^*~\n]++)(?<=[^\s\\])\1"), r"\2"),),
    (re.compile(r"(?<![^\W_])(_{1,3})(?=[^\s_])([^_\n]++)(?<=\S)\1(?![^\W_])"), r"\2"),
    (re.compile(r"\\([!-/:-@\[-`{-~])"), r"\1"),
)

_FENCED: Final = re.compile(r"(?ms)^[ \t]*(`{3,}|~{3,})[^\n`]*$.*?(?:^[ \t]*\1[`~]*[ \t]*$|\Z)")
_INLINE: Final = re.compile(r"(?<!`)(`{1,3})(?:[^`\n]|\n(?!\s*\n))++\1(?!`)")
_ADDRESS: Final = re.compile(
    r"(?:https?://|ftp://|www\.)[^\s<>\"]+|[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}"
)
_VISIBLE: Final = re.compile(r"\S")


def rendered(text: str) -> str:
    """The text without its Markdown marks; what is code keeps its words."""
    for pattern, replacement in _STEPS:
        text = pattern.sub(replacement, text)
    return text


def outside_code(text: str) -> str:
    """The text with code blanked by spaces, so that every other character keeps its place."""
    if "`" in text or "~~~" in text:
        text = _FENCED.sub(_blank, text)
        text = _INLINE.sub(_blank, text)
    return text


def prose(text: str) -> str:
    """The text with code, web and mail addresses blanked by spaces."""
    return _ADDRESS.sub(_blank, outside_code(text))


def _blank(match: re.Match[str]) -> str:
    return _VISIBLE.sub(" ", match[0])
