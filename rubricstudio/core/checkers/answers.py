"""What a check hands back before it becomes an outcome, and the words it is told in."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

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

LONGEST_SHOWN = 48


def shown(text: str) -> str:
    """A text in double quotes on one line, cut where it gets long."""
    line = " ".join(text.split())
    if len(line) > LONGEST_SHOWN:
        line = line[: LONGEST_SHOWN - 1].rstrip() + "…"
    return f'"{line}"'


def shown_end(text: str) -> str:
    """The end of a text in double quotes on one line, cut in front where it gets long."""
    line = " ".join(text.split())
    if len(line) > LONGEST_SHOWN:
        line = "…" + line[1 - LONGEST_SHOWN :].lstrip()
    return f'"{line}"'


def counted(number: int, noun: str) -> str:
    """A number with its noun: "1 word", "412 words"."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
