"""Where in a text a judge's quotation stands.

Judges quote almost to the letter: white space is folded, marks and markup are left out, a gap is
written as an ellipsis. So the exact words are looked for first, then the same words in the same
order with anything but words between them. Others answer with a sentence that quotes; then what
stands in its quotation marks is looked for. What is not there is not found, which is worth telling.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Final

from rubricstudio.core.types import Span

WORD: Final = re.compile(r"\w+")
GAP: Final = re.compile(r"\s*(?:\.\.\.|…|\[…\]|\[\.\.\.\])\s*")
QUOTED: Final = re.compile(r"“([^“”]+)”|「([^「」]+)」|«([^«»]+)»|\"([^\"]+)\"")
AROUND: Final = " \t\r\n\"'“”‘’«»「」『』`"
MOST_WORDS: Final = 300
"""Longer quotations are looked for by their first words."""
MOST_PARTS: Final = 20


def find_quote(quote: str, text: str) -> tuple[Span, ...]:
    """The stretches of the text that are quoted, in the order of the quotation; empty for none.

    A quotation with gaps gives a stretch for each of its parts, those that are not found left out.
    """
    whole = _find(quote.strip(AROUND), text, 0)
    if whole is not None:
        return (whole,)
    inner = ["".join(found) for found in QUOTED.findall(quote)]
    # The text itself may hold marks, so it is not clear beforehand which reading is meant.
    return max(_parts(_split([quote]), text), _parts(_split(inner), text), key=_covered)


def _covered(spans: Iterable[Span]) -> int:
    return sum(span.end - span.start for span in spans)


def _split(quotes: Iterable[str]) -> list[str]:
    """The pieces between the gaps, without what stands around them."""
    return [part.strip(AROUND) for quote in quotes for part in GAP.split(quote.strip())]


def _parts(parts: Sequence[str], text: str) -> tuple[Span, ...]:
    spans: list[Span] = []
    for part in parts[:MOST_PARTS]:
        begin = spans[-1].end if spans else 0
        span = _find(part, text, begin) or _find(part, text, 0)
        if span is not None and span not in spans:
            spans.append(span)
    return tuple(spans)


def _find(part: str, text: str, begin: int) -> Span | None:
    if not part:
        return None
    at = text.find(part, begin)
    if at >= 0:
        return Span(at, at + len(part))
    words = WORD.findall(part)[:MOST_WORDS]
    if not words:
        return None
    pattern = r"[\W_]+".join(re.escape(word) for word in words)
    match = re.compile(rf"(?<!\w){pattern}(?!\w)", re.IGNORECASE).search(text, begin)
    return Span(match.start(), match.end()) if match else None
