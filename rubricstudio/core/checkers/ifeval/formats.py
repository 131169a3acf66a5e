"""Instructions about the form of a response.

Quirks that are kept: every line that begins with ``-`` is a bullet, ``---`` too, and an emphasised
line that begins with one star as well; a highlight in two stars may count twice; a marker of a
postscript or a section is a pattern and may stand anywhere; JSON may hold a key twice and ``NaN``;
an end is compared without straight double quotes around the response and in any case.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from rubricstudio.core.checkers.answers import Answer, Values, counted, shown, shown_end
from rubricstudio.core.checkers.ifeval.patterns import enclosed, finder, widest
from rubricstudio.core.checkers.ifeval.rules import Make, Rule, bound, found, matches
from rubricstudio.core.checkers.ifeval.texts import Text
from rubricstudio.core.types import Span

# A line is looked at from its own start alone, so that blank lines in front cost nothing.
STAR_BULLET: Final = re.compile(r"^[^\S\n]*+\*[^*].*$", re.MULTILINE)
DASH_BULLET: Final = re.compile(r"^[^\S\n]*+-.*$", re.MULTILINE)
_HIGHLIGHT: Final = re.compile(r"\*[^\n*]*\*")
_DOUBLE_HIGHLIGHT: Final = re.compile(r"\*\*[^\n*]*\*\*")
_FENCES: Final = ("```json", "```Json", "```JSON", "```")
_SIX_STARS: Final = "******"

POSTSCRIPTS: Final = {"P.P.S": r"p\.\s?p\.\s?s", "P.S.": r"p\.\s?s\."}


def bullets(*patterns: re.Pattern[str]) -> Make:
    """An exact number of bullets."""

    def find(text: Text) -> list[Span]:
        return sorted(span for kind in patterns for span in matches(kind, text.text))

    return lambda params: found("bullet", bound("eq", params["num_bullets"]), find)


def numbered(pattern: re.Pattern[str]) -> Make:
    """An exact number of numbered items."""

    return lambda params: found(
        "numbered item",
        bound("eq", params["num_items"]),
        lambda text: matches(pattern, text.text),
    )


def highlights(params: Values) -> Rule:
    """At least a number of highlights in one or two stars."""
    return found("highlight", bound("ge", params["num_highlights"]), _highlighted)


def _highlighted(text: Text) -> list[Span]:
    single = [one for one in _HIGHLIGHT.finditer(text.text) if one.group().strip("*").strip()]
    double = [one for one in _DOUBLE_HIGHLIGHT.finditer(text.text) if one.group()[2:-2].strip()]
    return sorted(Span(*one.span()) for one in [*single, *double])


def placeholders(params: Values) -> Rule:
    """At least a number of texts in square brackets, each within a line."""
    asked = bound("ge", params["num_placeholders"])
    return found("placeholder", asked, lambda text: enclosed(text.text, "[", "]"))


def sections(pattern: Callable[[str], str]) -> Make:
    """At least a number of section marks."""

    def make(params: Values) -> Rule:
        find = finder(pattern(params["section_spliter"].strip()), ignore_case=False)
        asked = bound("ge", params["num_sections"])
        return found("section mark", asked, lambda text: find(text.text))

    return make


def numbered_section(mark: str) -> str:
    """The pattern of a section mark: the word and a number behind it."""
    return rf"\s?{mark}\s?\d+\s?"


def postscript(patterns: Mapping[str, str]) -> Make:
    """A postscript marker is found anywhere, in any case."""

    def make(params: Values) -> Rule:
        marker = params["postscript_marker"].strip()
        find = finder(patterns.get(marker, marker.lower()), ignore_case=False)

        def rule(text: Text) -> Answer:
            first = next(find(text.lower), None)
            if first is None:
                return Answer(False, f"no postscript that begins with {shown(marker)}")
            # Few letters change their length in lower case; where one has, places have moved.
            spans = (first,) if len(text.lower) == len(text.text) else ()
            return Answer(True, f"a postscript begins with {shown(marker)}", spans)

        return rule

    return make


def constrained_response(options: Sequence[str]) -> Make:
    """One of some answers is found, word for word."""

    def rule(text: Text) -> Answer:
        for option in options:
            place = text.text.find(option)
            if place >= 0:
                return Answer(True, f"{shown(option)} found", (Span(place, place + len(option)),))
        return Answer(False, f"none of {', '.join(map(shown, options))} found")

    return lambda _: rule


def json_format(_: Values) -> Rule:
    """The response is JSON, in a fence or not."""
    return _is_json


def _is_json(text: Text) -> Answer:
    inner = text.text.strip()
    for fence in _FENCES:
        inner = inner.removeprefix(fence)
    try:
        json.loads(inner.removesuffix("```").strip())
    except RecursionError:
        return Answer(None, "it is nested too deep to be read as JSON")
    except ValueError as error:
        return Answer(False, f"it is not JSON: {error}")
    return Answer(True, "it is JSON")


def title(left: str, right: str) -> Make:
    """A title stands within a line between two marks."""

    def rule(text: Text) -> Answer:
        for start, end in widest(text.text, left, right):
            inside = text.text[start:end].lstrip(left).rstrip(right).strip()
            if inside:
                return Answer(True, f"the title is {shown(inside)}", (Span(start, end),))
        return Answer(False, f"no title in {left} and {right}")

    return lambda _: rule


def two_responses(_: Values) -> Rule:
    """Two different texts with six stars between them."""
    return _has_two


def _has_two(text: Text) -> Answer:
    parts = [part.strip() for part in text.text.split(_SIX_STARS)]
    if not all(parts[1:-1]):
        return Answer(False, f"nothing between two dividers {_SIX_STARS}")
    parts = [part for part in parts if part]
    if len(parts) != 2:
        return Answer(
            False, f"{counted(len(parts), 'response')} divided by {_SIX_STARS}, exactly 2 asked"
        )
    same = parts[0] == parts[1]
    return Answer(not same, "the two responses are the same" if same else "two responses")


def quotation(pairs: Sequence[tuple[str, str]]) -> Make:
    """The whole response stands in quotation marks."""

    def rule(text: Text) -> Answer:
        inner = text.text.strip()
        edges = (inner[:1], inner[-1:])
        if len(inner) > 1 and edges in pairs:
            return Answer(True, f"it stands in {edges[0]} and {edges[1]}")
        asked = " or ".join(f"{left} and {right}" for left, right in pairs)
        return Answer(
            False,
            f"it begins with {shown(edges[0])} and ends with {shown(edges[1])}, {asked} asked",
        )

    return lambda _: rule


def repeat_prompt(*, ignore_case: bool = True) -> Make:
    """The response begins with the request, word for word."""

    def make(params: Values) -> Rule:
        prompt = params["prompt_to_repeat"].strip()
        wanted = prompt.lower() if ignore_case else prompt

        def rule(text: Text) -> Answer:
            begins = text.text.strip()
            right = (begins.lower() if ignore_case else begins).startswith(wanted)
            if right:
                return Answer(True, "it begins with the request")
            return Answer(False, f"it begins with {shown(begins[:90])}, {shown(prompt)} asked")

        return rule

    return make


def end_phrase(trim: Callable[[str], str], *, ignore_case: bool = True) -> Make:
    """The response ends with a phrase; ``trim`` takes away what may stand around it."""

    def make(params: Values) -> Rule:
        phrase = params["end_phrase"].strip()
        wanted = phrase.lower() if ignore_case else phrase.strip("」』")

        def rule(text: Text) -> Answer:
            end = trim(text.text.strip())
            if (end.lower() if ignore_case else end).endswith(wanted):
                return Answer(True, f"it ends with {shown(phrase)}")
            return Answer(False, f"it ends with {shown_end(end[-90:])}, {shown(phrase)} asked")

        return rule

    return make


def without_quotes(text: str) -> str:
    """A text without straight double quotes around it."""
    return text.strip('"')
