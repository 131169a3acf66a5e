"""IFBench: the family ``custom``, instructions that are each for one prompt.

Quirks that are kept: of the countries of Africa only the order, the number of lines and the first
name are looked at; words in reverse order have to name the bald eagle and be one sentence.
"""

import csv
import io
import re
import unicodedata
from itertools import pairwise
from typing import Final

from rubricstudio.core.checkers.answers import Answer, Values, counted, shown
from rubricstudio.core.checkers.ifeval.rules import Rule
from rubricstudio.core.checkers.ifeval.texts import EDGES, Text, without_marks
from rubricstudio.core.checkers.ifeval.word_lists import CAPITALS

_DIGITS: Final = re.compile(r"\d+")
_MULTIPLES: Final = [str(number) for number in range(14, 51, 7)]
_QUESTION: Final = re.compile(r"Question \d+[.|):;]?\s*")
_OPTION: Final = re.compile(r"[A-Ea-e][.|)]\s*\w")
_QUESTIONS, _OPTIONS = 4, 5
_COUNTRIES: Final = 52
_CITY: Final = ["ID", "Country", "City", "Year", "Count"]
_PRODUCT: Final = ("ProductID", "Category", "Brand", "Price", "Stock")
_STUDENT: Final = ("StudentID", "Subject", "Grade", "Semester", "Score")
_SPECIAL: Final = re.compile(r"[^\d\w\s]")
_DATE: Final = re.compile(r"(\d{4})-(\d{2})-(\d{2})")
_YEARS: Final = (1769, 1821)
_LONG_MONTHS: Final = (1, 3, 5, 7, 8, 10, 12)
_SHORT_MONTHS: Final = (4, 6, 9, 11)


def multiples(_: Values) -> Rule:
    """The multiples of 7 from 10 to 50 are the only numbers, in order."""

    def rule(text: Text) -> Answer:
        numbers = _DIGITS.findall(text.text.replace(",", ", "))
        told = f"the numbers are {shown(' '.join(numbers[:20]))}"
        right = numbers == _MULTIPLES
        return Answer(right, told if right else f"{told}, {' '.join(_MULTIPLES)} asked")

    return rule


def mcq_count_length(_: Values) -> Rule:
    """Four questions with five options each, every question longer than the one before."""

    def rule(text: Text) -> Answer:
        if not text.text.startswith("Question"):
            return Answer(False, "it does not begin with Question")
        questions = [one.strip() for one in _QUESTION.split(text.text) if one.strip()]
        if len(questions) != _QUESTIONS:
            return Answer(False, f"{counted(len(questions), 'question')}, exactly 4 asked")
        sizes = []
        for place, question in enumerate(questions, start=1):
            size, options = _question(question)
            if options != _OPTIONS:
                told = f"question {place} has {counted(options, 'option')}"
                return Answer(False, f"{told}, exactly {_OPTIONS} asked")
            sizes.append(size)
        longer = all(a < b for a, b in pairwise(sizes))
        return Answer(longer, f"questions of {', '.join(map(str, sizes))} characters")

    return rule


def _question(text: str) -> tuple[int, int]:
    """The length of a question's own words, and its number of options."""
    asked, options = [], 0
    for line in map(str.strip, text.split("\n")):
        if _OPTION.match(line):
            options += 1
        elif not options:
            asked.append(line)
    return len(" ".join(asked).strip()), options


def reverse_newline(_: Values) -> Rule:
    """52 lines or more from Zimbabwe on, in reverse order of the alphabet."""

    def rule(text: Text) -> Answer:
        lines = [line for line in (line.strip(EDGES) for line in text.lines) if line]
        start = next((at for at, line in enumerate(lines) if "Zimbabwe" in line), None)
        if start is None:
            return Answer(False, "no line holds Zimbabwe")
        names = [_ascii(line) for line in lines[start:]]
        if len(names) < _COUNTRIES:
            return Answer(
                False, f"{counted(len(names), 'line')} from Zimbabwe on, at least 52 asked"
            )
        for before, name in pairwise(names):
            if before < name:
                return Answer(False, f"{shown(name)} comes behind {shown(before)}")
        return Answer(True, f"{counted(len(names), 'line')} from Zimbabwe on in reverse order")

    return rule


def _ascii(text: str) -> str:
    """A text without accents; a sign that is no letter of ASCII with an accent goes."""
    if text.isascii():
        return text
    letters = (one for letter in text for one in unicodedata.normalize("NFKD", letter))
    return "".join(one for one in letters if one.isascii())


def word_reverse(_: Values) -> Rule:
    """The words, read from the last to the first, name the bald eagle in one sentence."""

    def rule(text: Text) -> Answer:
        turned = " ".join(without_marks(text.lower.strip()).split()[::-1])
        if "bald eagle" not in turned:
            return Answer(False, 'no "bald eagle" when read backwards')
        return Answer(turned in Text(turned).sentences, f"read backwards: {shown(turned)}")

    return rule


def character_reverse(_: Values) -> Rule:
    """The bald eagle is named backwards."""

    def rule(text: Text) -> Answer:
        right = "elgae dlab" in text.lower
        return Answer(right, '"elgae dlab" found' if right else '"elgae dlab" not found')

    return rule


def european_capitals(_: Values) -> Rule:
    """27 capitals in one order, with commas between them."""

    def rule(text: Text) -> Answer:
        names = [one.strip() for one in _ascii(text.text).split(",") if one.strip()]
        if len(names) != len(CAPITALS):
            return Answer(False, f"{counted(len(names), 'name')}, exactly {len(CAPITALS)} asked")
        for name, asked in zip(names, CAPITALS, strict=True):
            if name != asked:
                return Answer(False, f"{shown(name)} stands where {asked} should")
        return Answer(True, "all capitals in order")

    return rule


def csv_city(_: Values) -> Rule:
    """A header of five columns and seven rows of five, divided by commas."""

    def rule(text: Text) -> Answer:
        return _table(text.text, ",", rows=7, header=_CITY)

    return rule


def csv_special(_: Values) -> Rule:
    """14 rows of five columns; one field stands in double quotes and holds a special character.

    Quirk: rows behind the first such field are not looked at.
    """
    header = _header(_PRODUCT, r",[ \t]*")

    def rule(text: Text) -> Answer:
        if not header.fullmatch(text.lines[0].strip()):
            return Answer(False, f"the header is {shown(text.lines[0])}")
        rows = _read(text.text.replace('"', '"""'), ",")
        if len(rows) != 15:
            return Answer(False, f"{counted(len(rows), 'row')} with the header, exactly 15 asked")
        for row in rows[1:]:
            if len(row) != len(_PRODUCT):
                return Answer(False, f"a row has {counted(len(row), 'field')}, exactly 5 asked")
            special = next((field for field in row if _is_special(field)), None)
            if special is not None:
                return Answer(True, f"{shown(special)} holds a special character")
        return Answer(False, "no field in double quotes holds a special character")

    return rule


def _is_special(field: str) -> bool:
    line = field.split("\n", 1)[0]
    return line[:1] == '"' and _SPECIAL.search(line[1 : line.rfind('"')]) is not None


def csv_quotes(_: Values) -> Rule:
    """Three rows of five columns and the header, divided by tabs, each field in double quotes."""
    header = _header(_STUDENT, r"\t *")

    def rule(text: Text) -> Answer:
        if not header.fullmatch(text.lines[0].strip()):
            return Answer(False, f"the header is {shown(text.lines[0])}")
        return _table(text.text.replace('"', '"""'), "\t", rows=3, quoted=True)

    return rule


def _header(names: tuple[str, ...], divider: str) -> re.Pattern[str]:
    return re.compile(divider.join(f'(?:{name}|"{name}")' for name in names))


def _table(
    text: str, divider: str, *, rows: int, header: list[str] | None = None, quoted: bool = False
) -> Answer:
    table = _read(text, divider)
    if len(table) != rows + 1:
        return Answer(
            False, f"{counted(len(table), 'row')} with the header, exactly {rows + 1} asked"
        )
    if header is not None and table[0] != header:
        return Answer(False, f"the header is {shown(', '.join(table[0]))}")
    for row in table[1:] if header is not None else table:
        if len(row) != 5:
            return Answer(False, f"a row has {counted(len(row), 'field')}, exactly 5 asked")
        bare = next((field for field in row if not _is_quoted(field)), None)
        if quoted and bare is not None:
            return Answer(False, f"{shown(bare)} is not in double quotes")
    return Answer(True, f"a header and {rows} rows")


def _is_quoted(field: str) -> bool:
    return field.strip()[:1] == '"' == field.strip()[-1:]


def _read(text: str, divider: str) -> list[list[str]]:
    """The rows; none where the text is no table, such as one with a field without end."""
    try:
        return list(csv.reader(io.StringIO(text), delimiter=divider))
    except csv.Error:
        return []


def date_format_list(_: Values) -> Rule:
    """Dates of Napoleon's life as YYYY-MM-DD, with commas between them.

    Quirk: month 00, day 00 and the 29th of every February are fine.
    """

    def rule(text: Text) -> Answer:
        for date in map(str.strip, text.text.strip().split(",")):
            if not _is_date(date):
                return Answer(False, f"{shown(date)} is no date from 1769 to 1821 as YYYY-MM-DD")
        return Answer(True, "every part is a date")

    return rule


def _is_date(text: str) -> bool:
    found = _DATE.fullmatch(text)
    if found is None:
        return False
    year, month, day = map(int, found.groups())
    longest = 31 if month in _LONG_MONTHS else 30 if month in _SHORT_MONTHS else 29
    return _YEARS[0] <= year <= _YEARS[1] and month <= 12 and day <= (99 if month == 0 else longest)
