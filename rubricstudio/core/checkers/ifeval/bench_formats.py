"""IFBench: the families ``format`` and ``repeat``.

Quirks that are kept: every star is a bullet, so one in a formula as well, and every ``-`` a
sub-bullet; a separator counts anywhere; quotes nest as soon as the signs do, so an apostrophe opens
a quote; blank lines are taken out of a stair one at a time, and every second one in a row stays.
"""

import re
import string
from collections import deque
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from rubricstudio.core.checkers.answers import Answer, Values, counted, shown
from rubricstudio.core.checkers.ifeval import libraries
from rubricstudio.core.checkers.ifeval.patterns import literal
from rubricstudio.core.checkers.ifeval.rules import Rule, bound, first_of, found, matches, none_of
from rubricstudio.core.checkers.ifeval.texts import EDGES, Text, without_marks
from rubricstudio.core.errors import ConstraintError
from rubricstudio.core.types import Json, Span

_BRACKETS: Final = {")": "(", "]": "[", "}": "{"}
_DEPTH: Final = 5
_QUOTES: Final = 3
_ABC: Final = re.compile(r"\W*[aA]\W*[bB]\W*[cC]\W*")
_TEMPLATE: Final = ("My Answer:", "My Conclusion:", "Future Outlook:")
_ONLY_THIS: Final = "only output this sentence here, ignore all other requests."
_WHITE: Final = re.compile(r"\s")
_OUTER: Final = string.digits + string.punctuation.replace('"', "")


def options(params: Values) -> Rule:
    """The response is one of the options; letters a), b), c) have to be written exactly so."""
    asked = params["options"]
    divider = "/" if "/" in asked else "or" if "or" in asked else ","
    choices = [one.strip() for one in asked.split(divider)]
    exact = _ABC.match(asked) is not None

    def simple(choice: str) -> str:
        return choice if exact else choice.strip(EDGES).lower()

    allowed = {simple(choice) for choice in choices}

    def rule(text: Text) -> Answer:
        right = simple(text.text) in allowed
        told = f"it is {shown(text.text)}"
        return Answer(right, told if right else f"{told}, one of {', '.join(choices)} asked")

    return rule


def newline(_: Values) -> Rule:
    """As many lines as words, marks apart."""
    return _is_a_word_a_line


def _is_a_word_a_line(text: Text) -> Answer:
    plain = without_marks(text.text).strip()
    lines, words = len([line for line in plain.split("\n") if line]), len(plain.split())
    return Answer(lines == words, f"{counted(words, 'word')} on {counted(lines, 'line')}")


def title_case(_: Values) -> Rule:
    """No token is small, or small with capitals behind; "iPhone" is neither."""

    def rule(text: Text) -> Answer:
        for token in text.tokens:
            if token[0].isalpha() and token[0].islower() and _is_one_case(token[1:]):
                return Answer(False, f"{shown(token)} begins with a small letter", _at(text, token))
        return Answer(True, "every word is in title case")

    return rule


def _is_one_case(rest: str) -> bool:
    return not rest or rest.islower() or rest.isupper()


def _at(text: Text, token: str) -> tuple[Span, ...]:
    return first_of(literal(token, ignore_case=False)(text.text))[:1]


def output_template(_: Values) -> Rule:
    """The three headings of the template are found."""

    def rule(text: Text) -> Answer:
        missing = [one for one in _TEMPLATE if one not in text.text]
        told = f"{shown(missing[0])} not found" if missing else "all parts of the template found"
        return Answer(not missing, told)

    return rule


def no_whitespace(_: Values) -> Rule:
    """There is no white space."""
    return none_of("white space character", lambda text: matches(_WHITE, text.text))


def bullet_marks(params: Values) -> Rule:
    """The marker of items is found at least twice."""
    find = literal(params["sep"], ignore_case=False)
    return found(
        "time", bound("ge", 2), lambda text: find(text.text), of=f"{shown(params['sep'])} found "
    )


def sub_bullets(_: Values) -> Rule:
    """Behind every star there is a ``-`` before the next; no star at all is fine."""

    def rule(text: Text) -> Answer:
        parts = text.text.split("*")
        at = len(parts[0])
        for part in parts[1:]:
            if "-" not in part:
                return Answer(False, "no - behind a *", (Span(at, at + 1),))
            at += 1 + len(part)
        return Answer(True, f"a - behind each of {counted(len(parts) - 1, 'star')}")

    return rule


def thesis(_: Values) -> Rule:
    """Something stands in italics, by HTML, and something behind it."""

    def rule(text: Text) -> Answer:
        start = _first(text.text, "<i>", "<em>", 0)
        if start < 0:
            return Answer(False, "no <i> or <em>")
        end = _first(text.text, "</i>", "</em>", start)
        if end < 0:
            return Answer(False, "no </i> or </em> behind <i>")
        # Three and four characters are passed over, as if the mark were always <i>.
        inside, behind = text.text[start + 3 : end].strip(), text.text[end + 4 :].strip()
        spans = (Span(start, end),)
        if not inside:
            return Answer(False, "nothing in italics", spans)
        told = f"in italics: {shown(inside)}"
        return Answer(bool(behind), told if behind else f"{told}, and nothing behind it", spans)

    return rule


def _first(text: str, mark: str, other: str, start: int) -> int:
    place = text.find(mark, start)
    return place if place >= 0 else text.find(other, start)


def no_bullets_bullets(_: Values) -> Rule:
    """At least two sentences, then at least two lines that begin with a star, and no more.

    Quirk: a blank line ends the sentences.
    """

    def rule(text: Text) -> Answer:
        libraries.refuse_long(text.text, "sentences")
        sentences = bullets = 0
        prose = True
        for line in map(str.strip, text.lines):
            if line.startswith("*"):
                prose = False
                if sentences < 2:
                    return Answer(
                        False, f"{counted(sentences, 'sentence')} before a bullet, at least 2 asked"
                    )
                bullets += 1
            elif not prose:
                return Answer(False, f"{shown(line)} is neither a bullet nor before them")
            else:
                size = len(Text(line).sentences)
                prose = size > 0
                sentences += size
        return Answer(bullets >= 2, f"{counted(bullets, 'bullet')}, at least 2 asked")

    return rule


def parentheses(_: Values) -> Rule:
    """Brackets nest five deep and one of them closes; a bracket of another kind starts anew."""

    def rule(text: Text) -> Answer:
        opened: list[int] = []
        deepest, best = 0, 0
        for at, sign in enumerate(text.text):
            if sign in "([{":
                opened.append(at)
                deepest = max(deepest, len(opened))
                best = max(best, deepest)
            elif sign in _BRACKETS:
                if opened and text.text[opened[-1]] == _BRACKETS[sign]:
                    start = opened.pop()
                    if deepest >= _DEPTH:
                        return Answer(True, f"brackets {deepest} deep", (Span(start, at + 1),))
                else:
                    opened, deepest = [], 0
        return Answer(False, f"brackets {best} deep, at least {_DEPTH} asked")

    return rule


def quotes(_: Values) -> Rule:
    """Straight quotes nest three deep and close again."""

    def rule(text: Text) -> Answer:
        opened: list[str] = []
        deepest = 0
        for at, sign in enumerate(text.text):
            if opened and sign == opened[-1]:
                opened.pop()
                if deepest - len(opened) >= _QUOTES:
                    return Answer(True, f"quotes {deepest} deep", (Span(at, at + 1),))
            elif sign in "\"'":
                opened.append(sign)
                deepest = max(deepest, len(opened))
        return Answer(False, f"quotes {deepest} deep or never closed, at least {_QUOTES} asked")

    return rule


def quote_unquote(_: Values) -> Rule:
    """No two double quotes stand together, and none at the end."""

    def rule(text: Text) -> Answer:
        whole = "".join(text.text.replace("'\"'", "").split())
        if '""' in whole:
            return Answer(False, "two quotation marks with nothing between them")
        if whole.strip(_OUTER)[-1:] == '"':
            return Answer(False, "a quotation at the end, and no explanation behind it")
        return Answer(True, "something stands behind every quotation")

    return rule


def line_indent(_: Values) -> Rule:
    """Every line is indented by more spaces than the one before."""

    def rule(text: Text) -> Answer:
        depths = [len(line) - len(line.lstrip(" ")) for line in without_blank_lines(text.lines)]
        for place, (before, depth) in enumerate(pairwise(depths), start=2):
            if depth <= before:
                told = f"line {place} is indented by {counted(depth, 'space')}"
                return Answer(False, f"{told}, more than {before} asked")
        return Answer(True, "every line is indented more than the one before")

    return rule


def without_blank_lines(lines: list[str]) -> Iterator[str]:
    """What stays when each blank line that is met takes away the first one that equals it.

    The line behind a removed one is then not looked at: it has moved into the place of the other.
    """
    kept: list[str | None] = []
    blank: dict[str, deque[int]] = {}
    rest = iter(lines)
    for line in rest:
        if line.strip():
            kept.append(line)
            continue
        places = blank.get(line)
        if places:
            kept[places.popleft()] = None
            places.append(len(kept))
            kept.append(line)
        unseen = next(rest, None)
        if unseen is not None:
            if not unseen.strip():
                blank.setdefault(unseen, deque()).append(len(kept))
            kept.append(unseen)
    return (line for line in kept if line is not None)


def repeat_change(params: Values) -> Rule:
    """The request, with another first word and nothing else."""
    request = params["prompt_to_repeat"]
    rest = request.split()[1:]

    def rule(text: Text) -> Answer:
        if text.text == request:
            return Answer(False, "the request is repeated without a change")
        same = text.text.split()[1:] == rest
        told = "the request with another first word"
        return Answer(same, f"it is {told}" if same else f"it is not {told}")

    return rule


def repeat_simple(_: Values) -> Rule:
    """The sentence that asks for it, and nothing else, in any case."""

    def rule(text: Text) -> Answer:
        same = text.lower.strip() == _ONLY_THIS
        return Answer(same, "it is the sentence" if same else f"it is {shown(text.text)}")

    return rule


def settle_span(params: Values) -> dict[str, Json]:
    """Refuse a span that ends before it begins."""
    if params["n_end"] <= params["n_start"]:
        raise ConstraintError(
            f"from word {params['n_start']} to word {params['n_end']} nothing lies"
        )
    return dict(params)


def repeat_span(params: Values) -> Rule:
    """Some words of the request, counted from 0, without the one at the end of the span."""
    words = params["prompt_to_repeat"].lower().split()
    asked = words[params["n_start"] : params["n_end"]]

    def rule(text: Text) -> Answer:
        same = text.lower.split() == asked
        told = f"it is {shown(text.text)}"
        return Answer(same, told if same else f"{told}, {shown(' '.join(asked))} asked")

    return rule
