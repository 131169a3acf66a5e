"""Searching: the evaluators take keywords for patterns as they are, so a dot is any character.

Most keywords hold no sign of a pattern and are searched as they stand. The others run under a time
limit, and without an answer in time there is none.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

import regex

from rubricstudio.core.checkers.answers import Values, shown
from rubricstudio.core.checkers.ifeval.libraries import Unanswerable
from rubricstudio.core.errors import ConstraintError
from rubricstudio.core.types import Json, Span

LONGEST_PATTERN: Final = 500
SECONDS: Final = 1.0
_SIGNS: Final = re.compile(r"[.^$*+?{}\[\]\\|()]")

Find = Callable[[str], Iterator[Span]]
"""The places of a pattern in a text, in order and apart from each other."""


def finder(pattern: str, *, ignore_case: bool = True) -> Find:
    """What finds a published keyword; raises :class:`ConstraintError` for a broken pattern."""
    if not _SIGNS.search(pattern.replace(r"\b", "")):
        literal = re.compile(pattern, re.IGNORECASE if ignore_case else 0)
        return lambda text: (Span(*one.span()) for one in literal.finditer(text))
    compiled = _compile(pattern, ignore_case=ignore_case)

    def find(text: str) -> Iterator[Span]:
        try:
            for one in compiled.finditer(text, timeout=SECONDS):
                yield Span(*one.span())
        except TimeoutError:
            raise Unanswerable(
                f"the pattern {shown(pattern)} took longer than {SECONDS:g} s"
            ) from None

    return find


def _compile(pattern: str, *, ignore_case: bool) -> Any:
    if len(pattern) > LONGEST_PATTERN:
        raise ConstraintError(
            f"the pattern {shown(pattern)} has more than {LONGEST_PATTERN} characters"
        )
    try:
        return regex.compile(pattern, regex.V0 | (regex.IGNORECASE if ignore_case else 0))
    except (regex.error, RecursionError, MemoryError, OverflowError) as error:
        raise ConstraintError(f"{shown(pattern)} is not a pattern: {error}") from None


def readable(*names: str, lower: bool = False) -> Callable[[Values], dict[str, Json]]:
    """What refuses parameters that hold a broken pattern."""

    def settle(params: Values) -> dict[str, Json]:
        for name in names:
            value = params[name]
            for one in [value] if isinstance(value, str) else value:
                finder(one.lower() if lower else one)
        return dict(params)

    return settle


def literal(text: str, *, ignore_case: bool = True) -> Find:
    """What finds a text as it stands."""
    compiled = re.compile(re.escape(text), re.IGNORECASE if ignore_case else 0)
    return lambda where: (Span(*one.span()) for one in compiled.finditer(where))


def enclosed(text: str, left: str, right: str, *, across_lines: bool = False) -> Iterator[Span]:
    """What ``left.*?right`` finds, without looking at a character twice."""
    for start, end in [(0, len(text))] if across_lines else line_spans(text):
        opened = text.find(left, start, end)
        while opened >= 0:
            closed = text.find(right, opened + len(left), end)
            if closed < 0:
                break
            yield Span(opened, closed + len(right))
            opened = text.find(left, closed + len(right), end)


def widest(text: str, left: str, right: str) -> Iterator[Span]:
    """What ``left[^\\n]+right`` finds: from the first to the last mark of each line."""
    for start, end in line_spans(text):
        opened, closed = text.find(left, start, end), text.rfind(right, start, end)
        if opened >= 0 and opened + len(left) < closed:
            yield Span(opened, closed + len(right))


def line_spans(text: str) -> Iterator[Span]:
    """The lines of a text, cut at line feeds, without them."""
    start = 0
    while True:
        end = text.find("\n", start)
        if end < 0:
            yield Span(start, len(text))
            return
        yield Span(start, end)
        start = end + 1


def without(text: str, spans: Iterable[Span]) -> str:
    """A text without some places of it."""
    kept, last = [], 0
    for start, end in spans:
        kept.append(text[last:start])
        last = end
    return "".join([*kept, text[last:]])
