"""Rules for amounts in English: words, sentences, paragraphs, list items and others."""

from collections.abc import Iterator
from typing import Final

import regex

from rubricstudio.core.checkers.extract.phrasing import BARE, BEFORE, NUMBER, bound, compiled
from rubricstudio.core.checkers.extract.rule import Asked, Make, Rule
from rubricstudio.core.types import Json

_ADJECTIVES: Final = (
    r"(?:(?:complete|full|total|single|separate|different|short|long|distinct|individual|markdown|"
    r"text|english) ){0,2}"
)
_BEHIND: Final = (
    rf"(?:(?P<ge>\b{NUMBER}) UNIT(?: or more| at least| minimum)|"
    rf"(?P<le>\b{NUMBER}) UNIT(?: or (?:less|fewer)| at most| maximum| max\b))"
)
_TELLING: Final = (
    r"(?:should|must|has to|have to|needs? to|is|are|to)(?: only)?(?: be| appear| occur| contain)?"
)
_TOTAL: Final = rf"number of UNIT[^.,;\n]{{0,40}}? (?:{_TELLING} |to )(?:{BEFORE})(?! UNIT)"
_CAPITALS: Final = (
    r"(?:words? (?:in|with|of|written in) (?:all |only )?(?:capital letters|capitals|caps|"
    r"upper ?-?case(?: letters)?)|all-caps words|all ?-?caps? words|(?:fully )?capitalized words)"
)
_DIVIDED: Final = regex.compile(
    r"(?:separat\w*|divider|divid\w*|delimit\w*)[^.\n]{0,60}?(?P<divider>\*{3,}(?!\w))",
    regex.V1 | regex.IGNORECASE,
)


def _counts(kind: str, **params: Json) -> Make:
    return lambda match, _: (kind, {**bound(match), **params})


def _paragraphs(match: "regex.Match[str]", prompt: str) -> Asked:
    """A divider that the prompt names is the only one that counts."""
    divider = _short_divider(prompt)
    return "paragraph_count", {**bound(match), **({"divider": divider} if divider else {})}


def _short_divider(prompt: str) -> str | None:
    """The three asterisks between parts; longer rows of them stand between whole responses."""
    found = _DIVIDED.search(prompt)
    return found["divider"] if found and len(found["divider"]) == 3 else None


def _characters(match: "regex.Match[str]", prompt: str) -> Asked:
    behind = prompt[match.end() : match.end() + 40].lower()
    spaces = not regex.match(r"\s*\(?(?:without|excluding|not counting)(?: the)? spaces", behind)
    return "char_count", {**bound(match), **({} if spaces else {"spaces": False})}


def _sections(match: "regex.Match[str]", prompt: str) -> Asked | None:
    """Sections marked by a word and a number, shown as "SECTION X", or divided by a named mark."""
    if _HIGHLIGHTING.search(prompt[max(match.start() - 20, 0) : match.start()]):
        return None
    marker = _MARKER.search(prompt)
    if marker is None and _short_divider(prompt):
        return _paragraphs(match, prompt)
    return ("section_count", {**bound(match), "marker": marker["marker"]}) if marker else None


_HIGHLIGHTING: Final = regex.compile(r"(?:highlight|italic|bold|emphas)\S*\s+$", regex.IGNORECASE)
_MARKER: Final = regex.compile(r"(?P<marker>\b[A-Z][A-Za-z]{1,20}) X\b", regex.V1)


def _unit_rules(unit: str, make: Make, *, bare: str = "") -> Iterator[Rule]:
    """The rules for one unit; ``bare`` is what stands in front of a number alone."""
    counted = rf"{_ADJECTIVES}(?:{unit})"
    yield Rule(compiled(rf"\b(?:{BEFORE})[ -]{counted}"), make, whole=True)
    yield Rule(compiled(_BEHIND.replace("UNIT", counted)), make, whole=True)
    yield Rule(compiled(_TOTAL.replace("UNIT", f"(?:{unit})")), make, whole=True)
    if bare:
        yield Rule(compiled(rf"(?:{bare}) {BARE}[ -]{counted}"), make, whole=True)


_IN: Final = r"\b(?:in|into)(?: only)?"
_HAVING: Final = (
    r"\b(?:in|of|into|with|write|contains?|containing|includes?|including|has|have|having|be|add|use|"
    r"an?)(?: only)?"
)

RULES: Final = (
    *_unit_rules(
        r"words?\b(?! (?:in|with|of|written) (?:all|only|capital|caps|upper)|[- ]?(?:ladder|game)|"
        r"[^.\n]{0,40} in all (?:caps|capital))",
        _counts("word_count"),
    ),
    *_unit_rules(r"sentences?\b", _counts("sentence_count"), bare=_IN),
    *_unit_rules(r"paragraphs?\b", _paragraphs, bare=_HAVING),
    *_unit_rules(r"lines?\b(?! breaks?)", _counts("line_count"), bare=_IN),
    *_unit_rules(r"characters?\b(?! (?:named|called|who|in the))", _characters),
    *_unit_rules(
        r"bullet(?:ed)?[- ]?(?:points?|items?)?s?\b",
        _counts("list_item_count", style="bullets"),
        bare=rf"{_HAVING}|format of",
    ),
    *_unit_rules(r"placeholders?\b", _counts("placeholder_count")),
    *_unit_rules(r"(?:sections?|parts)\b", _sections, bare=_HAVING),
    *_unit_rules(_CAPITALS, _counts("capital_word_count")),
    *_unit_rules(r"emojis?\b", _counts("emoji_count"), bare=_HAVING),
    *_unit_rules(r"headings?\b", _counts("heading_count"), bare=_HAVING),
    Rule(
        compiled(
            rf"{_CAPITALS} (?:{_TELLING} )?(?:appear |be used |occur )?(?:for )?"
            rf"(?:{BEFORE})(?: times)?"
        ),
        _counts("capital_word_count"),
    ),
    Rule(
        compiled(
            rf"\b(?:{BEFORE}) words [^.\n]{{0,40}}?(?:be |written )?in all (?:caps|capital letters)"
        ),
        _counts("capital_word_count"),
    ),
    Rule(
        compiled(
            rf"(?:highlight(?:ing|/bold)?|italici[sz]e|bold|emphasi[sz]e) (?:{BEFORE}) "
            rf"{_ADJECTIVES}(?:sections?|parts?|phrases?|(?:key ?)?words?|points?)"
        ),
        _counts("highlight_count"),
    ),
    Rule(
        compiled(
            rf"\b(?:{BEFORE}) (?:highlighted|italic(?:ized)?|bold(?:ed)?|emphasized) {_ADJECTIVES}"
            r"(?:sections?|parts?|phrases?|words?)"
        ),
        _counts("highlight_count"),
    ),
    Rule(
        compiled(
            rf"\b(?:{BEFORE}) {_ADJECTIVES}(?:sections?|parts?|phrases?)"
            r"[^.,\n]{0,30}? (?:should|must|to) be (?:highlighted|emphasized|italicized|bolded)"
        ),
        _counts("highlight_count"),
    ),
    Rule(
        compiled(rf"(?:table) (?:with|of|that has|having) (?:exactly )?{BARE} columns"),
        lambda match, _: ("table", {"columns": bound(match)["value"]}),
    ),
)
