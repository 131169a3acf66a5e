"""Where a model's thinking ends and its answer begins.

Models mark their thinking in many ways: ``<think>``, ``<thinking>`` and their kin, ``[THINK]``,
channel marks. Some servers cut the opening mark, some models never write the closing one. What
follows the last closing mark is the answer; what follows an opening mark that is never closed is
thinking to the end.

That is how the reply of a judge is read. A rollout is somebody else's text, in which marks may be
quoted: judges and checkers alike look at what follows the block that it opens with, and no other.
"""

import re
from typing import Final, NamedTuple

THINKING: Final = "thinking/1"
"""Raised with every change of a mark or rule here; part of a judge's identity."""

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


class AnswerStart(NamedTuple):
    """Where the answer of a rollout begins; ``unfinished``: the thinking before it never ended."""

    start: int
    unfinished: bool


WHOLE: Final = AnswerStart(0, unfinished=False)


def find_answer(raw: str) -> AnswerStart:
    """Where a rollout's answer begins behind the thinking it opens with.

    A block that opens at the very start ends at its closing mark; one that the chat template has
    opened shows only its closing mark. One that never closes leaves no answer at all. Marks further
    on are words of the answer itself.
    """
    if not _may_have_marks(raw):
        return WHOLE
    opened = OPENING.match(raw, len(raw) - len(raw.lstrip()))
    closed = CLOSING.search(raw, opened.end() if opened else 0)
    if closed is None:
        return AnswerStart(len(raw) if opened else 0, unfinished=opened is not None)
    # A closing mark of a block that opens further on is a word of the answer itself.
    quoted = opened is None and OPENING.search(raw, 0, closed.start()) is not None
    return AnswerStart(0 if quoted else closed.end(), unfinished=False)


def _may_have_marks(raw: str) -> bool:
    # Searching for marks in any case is slow; without one of these signs there is none to find.
    # To look for one character takes a twentieth of the time that two in a row take.
    return (
        ("<" in raw and ("</" in raw or "< " in raw or "<|" in raw))
        or ("[" in raw and "[/" in raw)
        or "◁" in raw
        or raw.lstrip()[:1] in ("<", "[")
    )


def strip_leading_thinking(text: str) -> str:
    """A rollout's text from where its answer begins; untouched where no thinking comes first."""
    start = find_answer(text).start
    return text[start:].lstrip() if start else text
