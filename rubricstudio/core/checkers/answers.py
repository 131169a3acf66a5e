"""What a check hands back before it becomes an outcome, and the words it is told in."""

import re
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from rubricstudio.core.checkers.segmentation import DocumentView
from rubricstudio.core.types import Span

Values = Mapping[str, Any]
"""Parameters or options that were read against their declaration."""


class Answer(NamedTuple):
    """Passed or not, why in one line, and where in the text; ``None`` when it cannot be told."""

    passed: bool | None
    reason: str
    spans: tuple[Span, ...] = ()


Check = Callable[[DocumentView], Answer]
"""A constraint made ready: a pure function of the document view."""

LONGEST_SHOWN: Final = 48
_UNSHOWN: Final = "\N{REPLACEMENT CHARACTER}"
_CONTROL: Final = re.compile(r"[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f]")


def shown(text: str) -> str:
    """A text in double quotes on one line, cut where it gets long."""
    line = " ".join(text.split())
    if len(line) > LONGEST_SHOWN:
        line = line[: LONGEST_SHOWN - 1].rstrip() + "…"
    return _quoted(line)


def _quoted(line: str) -> str:
    # Nearly every text is printable, which is told in a tenth of the time of a search.
    return f'"{line if line.isprintable() else _CONTROL.sub(_UNSHOWN, line)}"'


def shown_end(text: str) -> str:
    """The end of a text in double quotes on one line, cut in front where it gets long."""
    line = " ".join(text.split())
    if len(line) > LONGEST_SHOWN:
        line = "…" + line[1 - LONGEST_SHOWN :].lstrip()
    return _quoted(line)


def counted(number: int, noun: str) -> str:
    """A number with its noun: "1 word", "412 words"."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
