"""The pieces that rules are made of: numbers, amounts, quoted texts and lists of them."""

from typing import Any, Final

import regex

from rubricstudio.core.parsing.numbers import numbers_in
from rubricstudio.core.types import Json

FLAGS: Final = regex.IGNORECASE | regex.V1

_NUMBER_WORD: Final = (
    r"(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|"
    r"sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|"
    r"hundred|thousand|(?:a )(?:hundred|thousand|dozen))"
)
NUMBER: Final = (
    rf"(?:\d{{1,3}}(?:,\d{{3}})+|\d{{1,7}}|{_NUMBER_WORD}(?:[ -]{_NUMBER_WORD}){{0,5}}+)"
)
"""A whole number in digits or words."""

BEFORE: Final = "|".join(
    (
        rf"(?:at least|at minimum|no (?:fewer|less) than|not (?:fewer|less) than|"
        rf"(?:a )?minimum(?: of)?) (?P<ge>{NUMBER})",
        rf"(?:at most|at maximum|no more than|not more than|no longer than|anything longer than|"
        rf"up to|(?:a )?maximum(?: of)?|not exceed(?:ing)?|without exceeding) (?P<le>{NUMBER})",
        rf"(?<!no |not )(?:more than|over) (?P<gt>{NUMBER})",
        rf"(?<!no |not )(?:less than|fewer than|under|below) (?P<lt>{NUMBER})",
        rf"(?:exactly|precisely|using only) (?P<eq>{NUMBER})",
        rf"between (?P<low>{NUMBER}) (?:and|to) (?P<high>{NUMBER})",
        rf"(?P<low>\b{NUMBER})(?: (?:to|or) | ?[-–] ?)(?P<high>{NUMBER})",
        rf"(?:about|around|approximately|roughly) (?P<approx>{NUMBER})",
        rf"(?P<ge>\b{NUMBER})(?: or more|\+)",
        rf"(?P<le>\b{NUMBER}) or (?:less|fewer)",
    )
)
"""An amount that says how it is compared, in front of what is counted."""

BARE: Final = rf"(?P<eq>\b{NUMBER})"
"""A number alone, for what is exact without a word that says so."""

QUOTED: Final = (
    r"(?:\"[^\"\n]{1,100}\"|[“”][^“”\"\n]{1,100}[”\"]|(?<!\w)'[^'\n]{1,100}'(?!\w)|"
    r"‘[^‘’\n]{1,100}’|`[^`\n]{1,100}`|「[^「」\n]{1,100}」|『[^『』\n]{1,100}』)"
)
_WORD: Final = r"(?:[\w’'&-]{1,40})"
ITEM: Final = rf"(?:{QUOTED}|{_WORD})"
QUOTED_LIST: Final = rf"{QUOTED}(?:(?:,? ?(?:and|or|&|和|或|或者|、)|[,，、]) ?{QUOTED})*"

_MARKS: Final = " \"“”'‘’`「」『』"


def value(text: str) -> int:
    """The number that a match of ``NUMBER`` says."""
    digits = text.replace(",", "")
    return int(digits) if digits.isdecimal() else max(numbers_in(text), default=0)


def bound(match: "regex.Match[str]") -> dict[str, Json]:
    """The parameters of an amount that was matched."""
    groups = match.groupdict()
    if groups.get("low"):
        return {"op": "between", "value": value(groups["low"]), "high": value(groups["high"])}
    for op in ("eq", "le", "lt", "ge", "gt", "approx"):
        if groups.get(op):
            return {"op": op, "value": value(groups[op])}
    raise ValueError("a rule about an amount matched without one")


def unquoted(text: str) -> str:
    """A quoted text without the marks around it."""
    return text.strip(_MARKS)


def quoted_texts(text: str) -> list[str]:
    """The texts that are quoted in a part of a prompt."""
    return [unquoted(one) for one in regex.findall(QUOTED, text, FLAGS)]


def compiled(pattern: str) -> Any:
    """A rule's pattern, white space in it being any white space of the prompt."""
    return regex.compile(pattern.replace(" ", r"\s"), FLAGS)
