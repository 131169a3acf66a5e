"""Rules for forms in English: case, language, JSON, quotation, punctuation, titles, postscripts."""

from typing import Final

import regex

from rubricstudio.core.checkers.extract.phrasing import FLAGS, NUMBER, bound, compiled
from rubricstudio.core.checkers.extract.rule import Asked, Make, Rule
from rubricstudio.core.checkers.languages import LANGUAGES
from rubricstudio.core.types import Json

_CODES: Final = {one.name.lower(): code for code, one in LANGUAGES.items()}
_CODES.update({"mandarin": "zh", "farsi": "fa"})
_LANGUAGE: Final = rf"(?P<language>{'|'.join(_CODES)})\b(?: language)?"
_WHOLE: Final = r"(?:entire|whole|full|your|the|this|its|complete)"
_OUTPUT: Final = r"(?:response|answer|output|reply|message|text|letter|email|essay|poem|story|it)"
_NOT: Final = (
    r"(?:do not|don't|don’t|does not|must not|should not|shouldn't|cannot|can't|can not|never|"
    r"avoid|refrain from|without|no|not)"
)
_LOWER: Final = r"lower[- ]?cased?(?: letters?)?"
_UPPER: Final = r"(?:capital(?:ized)? letters|capitals|caps|upper[- ]?case(?: letters?)?)"
_PUNCTUATION: Final = {
    "commas": [","],
    "comma": [","],
    "exclamation marks": ["!"],
    "exclamation points": ["!"],
    "question marks": ["?"],
    "semicolons": [";"],
    "colons": [":"],
    "em dashes": ["—"],
}


_MARK: Final = "|".join(sorted(_PUNCTUATION, key=len, reverse=True))


def _says(kind: str, **params: Json) -> Make:
    return lambda _match, _prompt: (kind, dict(params))


def _upper(match: "regex.Match[str]", prompt: str) -> Asked | None:
    """Not where some words alone are meant."""
    before = prompt[max(match.start() - 40, 0) : match.start()]
    if regex.search(r"\b(?:words?|phrases?|keywords?|titles?|headings?)\b[^.]*$", before, FLAGS):
        return None
    if regex.match(r"\s*(?:words?|for|to highlight|to stress|or)\b", prompt[match.end() :], FLAGS):
        return None
    return "letter_case", {"form": "upper"}


def _lower(match: "regex.Match[str]", prompt: str) -> Asked | None:
    before = prompt[max(match.start() - 30, 0) : match.start()]
    if regex.search(r"\b(?:some|few|the word|title|names?)\b[^.]*$", before, FLAGS):
        return None
    return "letter_case", {"form": "lower"}


def _language(match: "regex.Match[str]", prompt: str) -> Asked | None:
    behind = prompt[match.end() : match.end() + 30]
    # "in Chinese history", "a Spanish teacher": no language of the response.
    if regex.match(r"\s+(?!and|or|but|only|with|without|no|about|in|that|for|as)[a-z]{3,}", behind):
        return None
    if regex.match(r"\s*(?:and|or|,)\s+(?:in )?(?i:" + "|".join(_CODES) + ")", behind):
        return None
    return "language", {"language": _CODES[match["language"].lower()]}


def _no_marks(match: "regex.Match[str]", _: str) -> Asked:
    marks = _PUNCTUATION[" ".join(match["mark"].lower().split())]
    return "no_punctuation", {"marks": list[Json](marks)}


def _postscript(match: "regex.Match[str]", _: str) -> Asked:
    letters = [one for one in match["marker"].upper() if one == "P"]
    return "postscript", {"marker": "P.P.S" if len(letters) > 1 else "P.S."}


def _divided(match: "regex.Match[str]", _: str) -> Asked:
    return "divided_parts", {"divider": match["divider"]}


_TWO: Final = (
    r"\b(?:two|2)\b(?: \w+){0,2} (?:responses|versions|answers|jokes|critiques|scenes|poems|"
    r"options|drafts|stories|names|alternatives|replies)"
)

RULES: Final = (
    Rule(
        compiled(
            r"\b(?:in|use|using|with|be|and|only|all|are)(?: in)?(?: entirely| all| only)* "
            rf"{_LOWER}(?: only)?(?! (?:and|or) upper)"
        ),
        _lower,
    ),
    Rule(compiled(rf"\ball letters(?: in| are)? {_LOWER}"), _lower),
    Rule(compiled(r"\bno (?:capital|upper[- ]?case|capitalized) letters"), _lower),
    Rule(
        compiled(
            rf"\b{_NOT} (?:use|contain|include|have)(?: any)? (?:capital|upper[- ]?case) letters"
        ),
        _lower,
    ),
    Rule(
        compiled(rf"\b(?:in|use|using|be|only use)(?: entirely| all| only)+ {_UPPER}"),
        _upper,
    ),
    Rule(compiled(rf"\b(?:english|and|,),? (?:and )?(?:in )?all {_UPPER}"), _upper),
    Rule(compiled(r"\bno lower[- ]?case letters"), _upper),
    Rule(compiled(r"\bonly use capital letters"), _upper),
    Rule(compiled(r"\bcapitalize (?:every|each|all(?: the)?) letters?"), _upper),
    Rule(
        compiled(
            r"\b(?:only|entirely|completely|solely|exclusively)(?: be)?(?: in| using| use)?"
            rf"(?: the)? {_LANGUAGE}"
        ),
        _language,
    ),
    Rule(compiled(rf"\bin only {_LANGUAGE}"), _language),
    Rule(compiled(rf"\b(?:in|use) (?:the )?{_LANGUAGE} only"), _language),
    Rule(compiled(rf"\bin (?:the )?{_LANGUAGE}(?= ?[^.\n]{{0,60}}?no other language)"), _language),
    Rule(
        compiled(
            rf"\b(?:{_OUTPUT}|answer|respond|reply|written|be)\b[^.,?!\n]{{0,40}}? in (?:the )?"
            rf"{_LANGUAGE}"
        ),
        _language,
        whole=True,
    ),
    Rule(
        compiled(r"\b(?:an? )?title,?[^.\n]{0,60}?double angular brackets"),
        _says("title", form="angle_brackets"),
    ),
    Rule(compiled(r"\btitle[^.\n]{0,60}?<<[^<>\n]{1,60}>>"), _says("title", form="angle_brackets")),
    Rule(
        compiled(
            rf"\b{_WHOLE} (?:{_WHOLE} )?{_OUTPUT}[^.\n]{{0,40}}? (?:in|into|as) "
            r"(?:a |one |an? valid |valid |single )*JSON\b"
        ),
        _says("json_only"),
    ),
    Rule(
        compiled(
            r"\b(?:in|use|using|wrapped in)(?: valid| the)? JSON format\b|\binto one JSON block|"
            r"\bonly contains? a JSON block|\b(?:answer|respond|reply|return)[^.\n]{0,30}? "
            r"(?:in|as|with)(?: valid| a)? JSON\b"
        ),
        _says("json_only"),
    ),
    Rule(
        compiled(
            rf"\b{_WHOLE} (?:{_WHOLE} )?{_OUTPUT}[^.\n]{{0,60}}?\b(?:in|with|inside|by|within) "
            r"double (?:quotes|quotations? marks)"
        ),
        _says("quotation"),
    ),
    Rule(
        compiled(rf"\bdouble (?:quotes|quotations? marks) around (?:{_WHOLE} )+{_OUTPUT}"),
        _says("quotation"),
    ),
    Rule(
        compiled(
            rf"\b{_NOT} (?:(?:to|use|using|include|including|contain|containing|any|the|have|"
            rf"having|use of) ){{0,4}}(?P<mark>{_MARK})\b"
        ),
        _no_marks,
    ),
    Rule(
        compiled(
            r"\bpost ?script\b[^.\n]{0,60}?(?P<marker>P\.? ?(?:P\.? ?)?S\b)|"
            r"\b(?:add|with|include) (?:an? )?(?P<marker>P\. ?(?:P\. ?)?S\b)"
        ),
        _postscript,
    ),
    Rule(
        compiled(rf"{_TWO}[^\n]{{0,200}}?separat[^.\n]{{0,60}}?(?P<divider>\*{{4,}})"),
        _divided,
    ),
    Rule(
        compiled(r"separat[^.\n]{0,40}?\btwo (?:\w+ )?[^.\n]{0,40}?(?P<divider>\*{4,})"),
        _divided,
    ),
    Rule(
        compiled(
            rf"\bnumbered list (?:of|with) (?:exactly )?(?P<eq>{NUMBER}) (?:items|steps|points)"
        ),
        lambda match, _: ("list_item_count", {**bound(match), "style": "numbers"}),
    ),
)
