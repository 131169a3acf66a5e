"""Running the rules over a prompt, and keeping what is certain."""

from collections.abc import Iterator
from typing import Final, NamedTuple

import regex

from rubricstudio.core.checkers.extract import (
    chinese,
    english_amounts,
    english_forms,
    english_texts,
)
from rubricstudio.core.checkers.extract.phrasing import FLAGS
from rubricstudio.core.checkers.extract.rule import Rule, sentence_around
from rubricstudio.core.checkers.registry import normalised
from rubricstudio.core.errors import SpecError
from rubricstudio.core.parsing.numbers import numbers_in
from rubricstudio.core.types import Constraint, Json, Span

LONGEST_PROMPT: Final = 50_000
"""Of a longer prompt only so many characters at its end are read: that is where people ask."""
SHORT_QUOTE: Final = 100
SECONDS: Final = 0.5
"""So long may one rule look; a prompt of usual length takes all of them a few milliseconds."""
RULES: Final = (
    *english_amounts.RULES,
    *english_texts.RULES,
    *english_forms.RULES,
    *chinese.RULES,
)

_QUOTATION: Final = regex.compile(
    r"\"[^\"]*+\"|“[^“”]*+”|「[^「」]*+」|```.*?(?:```|\Z)", regex.DOTALL
)
_PARTS: Final = (
    r"(?:paragraphs?|sections?|sentences?|lines?|stanzas?|verses?|bullets?|points?|items?|parts?|"
    r"titles?|headlines?|subject lines?|introduction|conclusion|abstract|tagline|slogan|caption|"
    r"chapters?|steps?|answers?)"
)
_OF_PARTS: Final = regex.compile(
    rf"\b(?:each|every|per|both|either)\b|"
    rf"\b(?:first|second|third|fourth|fifth|last|final|opening|closing)\s+{_PARTS}\b|"
    r"\b(?:title|headline|subject line|tagline|slogan|caption)\b[^,;]*$|"
    r"每|各(?!位|种)|其中|第[一二三四五六七八九十\d]+(?:个)?(?:段|部分|句|章)|标题|题目",
    FLAGS,
)
_LISTED_PART: Final = regex.compile(r"\s*(?:[-*•]|\d+[.)])[^()]*\([^()]*$", FLAGS)
_EACH_BEHIND: Final = regex.compile(r"\s*(?:each\b|per\b|in each\b|for each\b|apiece\b)", FLAGS)
_NOT_TO_COMPARE: Final = frozenset({"sources"})


class _Found(NamedTuple):
    constraint: Constraint
    span: Span


def extract(prompt: str) -> tuple[Constraint, ...]:
    """The constraints that a prompt plainly states, in its order; texts it only quotes apart.

    Each is of a checked type, with the words that ask for it as its evidence, and no number that
    those words do not name.
    """
    text = prompt[-LONGEST_PROMPT:]
    asking = _QUOTATION.sub(_blank_if_long, text)
    kept: list[_Found] = []
    for rule in RULES:
        for one in _matches(rule, asking, text):
            _keep(one, kept)
    kept.sort(key=lambda one: one.span)
    return tuple({one.constraint.content_hash(): one.constraint for one in kept}.values())


def _blank_if_long(quotation: "regex.Match[str]") -> str:
    """A text that is given to be worked on asks for nothing."""
    text: str = quotation[0]
    kept = len(text) <= SHORT_QUOTE and not text.startswith("```")
    return text if kept else " " * len(text)


def _matches(rule: Rule, asking: str, text: str) -> Iterator[_Found]:
    for match in _found(rule, asking):
        span = Span(*match.span())
        if rule.whole and _is_of_a_part(asking, span):
            continue
        asked = rule.make(match, asking)
        if asked is None:
            continue
        evidence = text[span.start : span.end].strip()
        try:
            constraint = normalised(Constraint(asked[0], asked[1], evidence=evidence))
        except SpecError:
            continue  # a rule misread something: what cannot be is not asked for
        if _names_its_numbers(asked[1], evidence):
            yield _Found(constraint, span)


def _found(rule: Rule, asking: str) -> list["regex.Match[str]"]:
    """The matches of a rule; none where a prompt is so odd that looking takes too long."""
    try:
        return list(rule.pattern.finditer(asking, timeout=SECONDS))
    except TimeoutError:
        return []


def _is_of_a_part(text: str, span: Span) -> bool:
    """Whether an amount is said of each paragraph, of the title or of another part."""
    before, behind = sentence_around(text, span)
    line = text[text.rfind("\n", 0, span.start) + 1 : span.start]
    if _LISTED_PART.match(line) and ")" in behind:
        return True
    return bool(_OF_PARTS.search(before[-90:]) or _EACH_BEHIND.match(behind))


def _names_its_numbers(params: dict[str, Json], evidence: str) -> bool:
    """Whether each number is named by the words that ask for it, "more than 2" also naming 3."""
    named = numbers_in(evidence)
    near = named | {one + 1 for one in named} | {one - 1 for one in named} | {0, 1, -1}
    return all(
        value in near
        for name, value in params.items()
        if isinstance(value, int) and not isinstance(value, bool) and name not in _NOT_TO_COMPARE
    )


def _keep(one: _Found, kept: list[_Found]) -> None:
    """Of two readings of the same words for one type, the longer one is right."""
    for at, other in enumerate(kept):
        same = one.constraint.type == other.constraint.type
        if same and one.span.start < other.span.end and other.span.start < one.span.end:
            if one.span.end - one.span.start > other.span.end - other.span.start:
                kept[at] = one
            return
    kept.append(one)
