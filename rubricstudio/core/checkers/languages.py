"""The constraint that a response is in a language.

The script decides where it can: no Russian text is in Latin letters, and no other language of the
list is written in Hangul. Among languages of one script a detector decides, whose models come with
an extra; without it there is no answer.
"""

from functools import lru_cache
from typing import Any, Final, NamedTuple

import regex

from rubricstudio.core.checkers.answers import Answer, Check, Values
from rubricstudio.core.checkers.constraint_type import ConstraintType
from rubricstudio.core.checkers.params import Kind, Param
from rubricstudio.core.checkers.segmentation import DocumentView, Part
from rubricstudio.core.errors import ConstraintError
from rubricstudio.core.types import Json

FEWEST_LETTERS: Final = 20
MOSTLY: Final = 0.6
"""The share of letters in the script of a language that a text in it has at least."""
EXTRA: Final = "lang"
_KANA_SHARE: Final = 0.1


class _Language(NamedTuple):
    name: str
    script: str


LANGUAGES: Final[dict[str, _Language]] = {
    "en": _Language("English", "Latin"),
    "zh": _Language("Chinese", "Han"),
    "ja": _Language("Japanese", "Kana"),
    "ko": _Language("Korean", "Hangul"),
    "ar": _Language("Arabic", "Arabic"),
    "bg": _Language("Bulgarian", "Cyrillic"),
    "bn": _Language("Bengali", "Bengali"),
    "cs": _Language("Czech", "Latin"),
    "da": _Language("Danish", "Latin"),
    "de": _Language("German", "Latin"),
    "el": _Language("Greek", "Greek"),
    "es": _Language("Spanish", "Latin"),
    "fa": _Language("Persian", "Arabic"),
    "fi": _Language("Finnish", "Latin"),
    "fr": _Language("French", "Latin"),
    "gu": _Language("Gujarati", "Gujarati"),
    "he": _Language("Hebrew", "Hebrew"),
    "hi": _Language("Hindi", "Devanagari"),
    "hu": _Language("Hungarian", "Latin"),
    "id": _Language("Indonesian", "Latin"),
    "it": _Language("Italian", "Latin"),
    "mr": _Language("Marathi", "Devanagari"),
    "nl": _Language("Dutch", "Latin"),
    "pa": _Language("Punjabi", "Gurmukhi"),
    "pl": _Language("Polish", "Latin"),
    "pt": _Language("Portuguese", "Latin"),
    "ro": _Language("Romanian", "Latin"),
    "ru": _Language("Russian", "Cyrillic"),
    "sv": _Language("Swedish", "Latin"),
    "sw": _Language("Swahili", "Latin"),
    "ta": _Language("Tamil", "Tamil"),
    "te": _Language("Telugu", "Telugu"),
    "th": _Language("Thai", "Thai"),
    "tr": _Language("Turkish", "Latin"),
    "uk": _Language("Ukrainian", "Cyrillic"),
    "ur": _Language("Urdu", "Arabic"),
    "vi": _Language("Vietnamese", "Latin"),
}
"""The languages that can be asked for, by their ISO 639-1 code; the detector knows each."""

_SCRIPTS: Final = {
    "Latin": r"\p{Latin}",
    "Han": r"\p{Han}",
    "Kana": r"[\p{Hiragana}\p{Katakana}]",
    **{
        script: rf"\p{{{script}}}"
        for script in (
            *("Hangul", "Arabic", "Bengali", "Cyrillic", "Devanagari", "Greek", "Gujarati"),
            *("Gurmukhi", "Hebrew", "Tamil", "Telugu", "Thai"),
        )
    },
}
_PATTERNS: Final = {name: regex.compile(rf"(?V1){one}") for name, one in _SCRIPTS.items()}
_LETTER: Final = regex.compile(r"\p{L}")
# A character of these stands for about as much as three letters.
_DENSE: Final = {"Han": 3, "Kana": 3, "Hangul": 3}


def language(params: Values, _: Values) -> Check:
    """The response is in the language; no answer for a text that is too short to tell."""
    code = params["language"]
    among = tuple(sorted({code, *(params["among"] or _same_script(code))}))

    def check(view: DocumentView) -> Answer:
        text = view.part(Part.PROSE).text
        letters = script_letters(text)
        return _answer(text, letters, code, among)

    return check


def _answer(text: str, letters: dict[str, int], code: str, among: tuple[str, ...]) -> Answer:
    asked, script = LANGUAGES[code]
    total = sum(letters.values())
    if total < FEWEST_LETTERS:
        return Answer(None, "fewer than about 20 letters, so the language cannot be told")
    share = letters.get(script, 0) / total
    if share < MOSTLY:
        most = max(letters, key=lambda one: letters[one])
        return Answer(False, f"mostly in {most} script, {asked} asked")
    rivals = [one for one in among if LANGUAGES[one].script == script]
    if rivals == [code]:
        return Answer(True, f"mostly in {script} script, so it is {asked}")
    found = _detect(text, tuple(rivals))
    if found is None:
        return Answer(None, "the language of this text cannot be told")
    name = LANGUAGES[found].name
    return Answer(found == code, f"it is {name}" if found == code else f"{name}, {asked} asked")


def script_letters(text: str) -> dict[str, int]:
    """How much of a text each script is, in letters of an alphabet.

    Kana among Han characters say that both are Japanese; a few of them are a quotation.
    """
    if text.isascii():
        return {"Latin": sum(map(str.isalpha, text))}
    counts = {
        name: len(pattern.findall(text)) * _DENSE.get(name, 1)
        for name, pattern in _PATTERNS.items()
    }
    known = sum(len(pattern.findall(text)) for pattern in _PATTERNS.values())
    counts["another"] = max(len(_LETTER.findall(text)) - known, 0)
    if counts["Kana"] > _KANA_SHARE * (counts["Kana"] + counts["Han"]):
        counts["Kana"] += counts.pop("Han")
    return {name: count for name, count in counts.items() if count}


def _same_script(code: str) -> list[str]:
    script = LANGUAGES[code].script
    return [one for one, language in LANGUAGES.items() if language.script == script]


def _detect(text: str, among: tuple[str, ...]) -> str | None:
    detector = _detector(among)
    found = detector.detect_language_of(text) if detector else None
    return None if found is None else found.iso_code_639_1.name.lower()


@lru_cache(maxsize=8)
def _detector(among: tuple[str, ...]) -> Any:
    """A detector for some languages, made when it is first asked; None without the extra."""
    try:
        from lingua import IsoCode639_1, LanguageDetectorBuilder
    except ImportError:
        return None
    codes = [getattr(IsoCode639_1, one.upper()) for one in among]
    # The models of three letters in a row are enough for the length of a response.
    builder = LanguageDetectorBuilder.from_iso_codes_639_1(*codes)
    return builder.with_low_accuracy_mode().build()


def settle_language(params: Values) -> dict[str, Json]:
    """Languages that are known; raises :class:`ConstraintError`."""
    unknown = [one for one in params["among"] or () if one not in LANGUAGES]
    if unknown:
        known = ", ".join(LANGUAGES)
        raise ConstraintError(f"{unknown[0]!r:.40} is no language that can be told; use {known}")
    return dict(params)


TYPES: Final = (
    ConstraintType(
        "language",
        "is in a language",
        {
            "language": Param(
                Kind.CHOICE,
                "its ISO 639-1 code, such as en or zh",
                required=True,
                choices=tuple(LANGUAGES),
            ),
            "among": Param(
                Kind.TEXTS,
                "the codes of the languages it is told from; all of the same script if none is",
            ),
        },
        {},
        language,
        settle_language,
    ),
)
