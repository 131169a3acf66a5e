"""Where a model's thinking ends and its answer begins.

Models mark their thinking in many ways: ``<think>``, ``<thinking>`` and their kin, ``[THINK]``,
channel marks. Some servers cut the opening mark, some models never write the closing one. What
follows the last closing mark is the answer; what follows an opening mark that is never closed is
thinking to the end.
"""

import re
from typing import Final

_NAMES: Final = r"(?:seed:)?(?:think(?:ing)?|thoughts?|reason(?:ing)?|reflection|scratchpad)"

OPENING: Final = re.compile(
    rf"<\s*{_NAMES}(?:\s[^<>]*)?>|\[THINK\]|◁think▷"
    r"|<\|channel\|>\s*(?:analysis|commentary)\b[^<]*<\|message\|>|<\|begin_of_thought\|>",
    re.IGNORECASE,
)
CLOSING: Final = re.compile(
    rf"<\s*/\s*{_NAMES}\s*>|\[/THINK\]|◁/think▷"
    r"|<\|channel\|>\s*final\b[^<]*<\|message\|>|<\|end_of_thought\|>",
    re.IGNORECASE,
)
END_MARK: Final = re.compile(r"\s*<\|(?:return|end|im_end|eot_id)\|>\s*\Z")


def has_thinking(text: str) -> bool:
    """Whether any mark of thinking occurs in the text."""
    return bool(OPENING.search(text) or CLOSING.search(text))


def strip_thinking(text: str) -> str:
    """The answer without the thinking; empty when nothing but thinking is there."""
    rest = END_MARK.sub("", text)
    closes = list(CLOSING.finditer(rest))
    if closes:
        rest = rest[closes[-1].end() :]
    opened = OPENING.search(rest)
    return (rest[: opened.start()] if opened else rest).strip()


def readings(text: str) -> list[str]:
    """The texts that may be the answer when it has to be one JSON object, in order of trust.

    A mark may also stand inside a string of that object, as a quotation. So the whole text comes
    first where no thinking opens it, then what follows each closing mark.
    """
    whole = END_MARK.sub("", text).strip()
    found = [] if OPENING.match(whole) else [whole]
    found += [whole[close.end() :].strip() for close in CLOSING.finditer(whole)]
    return [one for one in found if one]


def strip_leading_thinking(text: str) -> str:
    """A rollout's text without the thinking it opens with; marks further on are its own words.

    An opening mark that is never closed leaves nothing: all of it was thinking.
    """
    opened = OPENING.match(text.lstrip())
    if not opened:
        return text
    rest = text.lstrip()[opened.end() :]
    close = CLOSING.search(rest)
    return rest[close.end() :].lstrip() if close else ""
