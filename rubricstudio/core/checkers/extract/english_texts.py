"""Rules for texts in English: words to use and to avoid, beginnings, endings, options."""

from typing import Final

import regex

from rubricstudio.core.checkers.extract.phrasing import (
    BEFORE,
    FLAGS,
    ITEM,
    NUMBER,
    QUOTED,
    QUOTED_LIST,
    bound,
    compiled,
    quoted_texts,
    unquoted,
)
from rubricstudio.core.checkers.extract.rule import Asked, Make, Rule
from rubricstudio.core.types import Json

_NOT: Final = (
    r"(?:do not|don't|don’t|doesn't|doesn’t|does not|must not|mustn't|should not|shouldn't|"
    r"cannot|can't|can not|never|without|avoid|refrain from|not to|to not|not)"
)
_USING: Final = (
    r"(?:(?:to )?(?:use|using|include|including|say|saying|mention|mentioning|contain|containing|"
    r"write|writing|have|having|the use of|incorporate|employ|insert) )"
)
_WORDS: Final = r"(?:key ?)?(?:words?|phrases?|terms?)"
_THE: Final = r"(?:(?:any of|all of|all|any|both|the|these|following|exact|negative) ){0,3}"
_AS: Final = r"(?: such as| like| including)?:? "
_BRACKETED: Final = rf"\[ ?{QUOTED_LIST} ?\]"
_BARE_WORD: Final = (
    r"(?:(?!(?:that|in|with|and|or|of|should|must|which|to|as|you|your|the)\b)[\w’'-]{1,30})"
)
_AND: Final = r"(?:, (?:and |or )?| and | or )"
_STOP: Final = r"(?= ?(?:[.\n;]|$)| in (?:your|the) | throughout )"
_BARE_LIST: Final = rf"(?:{_BARE_WORD}{_AND}){{1,15}}{_BARE_WORD}{_STOP}"
_FULL_LIST: Final = (
    rf"(?P<list>{_BRACKETED}|\(?{QUOTED_LIST}|{_BARE_LIST}|(?<=: ){_BARE_WORD}{_STOP})"
)
_ONE_WORD: Final = (
    r"(?P<list>(?!that\b|in\b|with\b|and\b|or\b|should\b|must\b|which\b)[\w’'-]{2,40})"
)
_TIMES: Final = (
    rf"(?:(?:{BEFORE}) times?|(?P<ge>at least once|at least twice)|"
    r"(?P<le>at most once|at most twice)|(?P<le>once|twice) or (?:less|fewer)|"
    rf"(?P<ge>once|twice) or more|exactly (?P<eq>once|twice)|(?P<eq>\b{NUMBER}) times)"
)
_APPEARS: Final = (
    r"(?:(?:should|must|has to|needs to|to|can) )?(?:(?:be )?(?:appear|appears|appearing|occur|"
    r"occurs|used|use|included|mentioned|show up|be present)) ?"
    r"(?:(?:in|throughout) [\w ]{1,30}? )?(?:for )?"
)
_ORDINALS: Final = {
    "first": 1,
    "second": 2,
    "third": 3,
    "fourth": 4,
    "fifth": 5,
    "sixth": 6,
    "last": -1,
    "final": -1,
}
_NOT_ALL: Final = regex.compile(
    r"(?:paragraph|section|sentence|line|stanza|verse|bullet|point|title|postscript|post script|"
    r"p\.?s\.?|let['’]s|word|item|name|each|every|brackets?|that|which|who|those|ones)\W{0,2}(?:\w+\W+){0,4}$",
    FLAGS,
)


_PART: Final = regex.compile(
    r"\b(?:each|every|paragraphs?|sections?|segments?|sentences?|lines?|stanzas?|words?|title)\b",
    FLAGS,
)
_EDGE_VERB: Final = regex.compile(r"\b(?:start|begin|end|finish|conclude)\w*\b[^.\n]{0,40}$", FLAGS)


def _listed(match: "regex.Match[str]") -> list[str]:
    text = match["list"]
    found = quoted_texts(text)
    if not found:
        found = regex.split(r",\s*(?:and |or )?|\s+and\s+|\s+or\s+", text)
    return [one for one in dict.fromkeys(found) if one.strip() and one.lower() not in _NO_ITEMS]


_NO_ITEMS: Final = frozenset({"etc", "etc.", "and", "or"})


def _avoid(match: "regex.Match[str]", _: str) -> Asked | None:
    phrases = _listed(match)
    return ("not_contain", {"phrases": list[Json](phrases)}) if phrases else None


def _contain(match: "regex.Match[str]", prompt: str) -> Asked | None:
    before = prompt[max(match.start() - 40, 0) : match.start()]
    behind = prompt[match.end() : match.end() + 60]
    if regex.search(rf"{_NOT}\s+(?:\w+\s+){{0,3}}$".replace(" ", r"\s"), before, FLAGS):
        return None
    if _EDGE_VERB.search(before) and match[0].lower().startswith("with"):
        return None
    # How often it has to be there is said by a rule of its own.
    if regex.match(rf"[^.\n]{{0,30}}?{_TIMES}".replace(" ", r"\s"), behind, FLAGS):
        return None
    if regex.match(r"\s*(?:as|to mean|when|each)\b", behind, FLAGS):
        return None
    phrases = _listed(match)
    return ("contain", {"phrases": list[Json](phrases)}) if phrases else None


def _often(match: "regex.Match[str]", _: str) -> Asked | None:
    counts = _count_params(match)
    if counts is None:
        return None
    text = unquoted(match["item"])
    if match.groupdict().get("letter") or len(text) == 1:
        counts["match"] = "substring"
    if counts.get("max_count") == 0:
        kept = {name: one for name, one in counts.items() if name == "match"}
        return "not_contain", {"phrases": [text], **kept}
    return "contain", {"phrases": [text], **counts}


def _count_params(match: "regex.Match[str]") -> dict[str, Json] | None:
    """How often, as the counts of contain."""
    groups = {name: text for name, text in match.groupdict().items() if text}
    times = {"once": 1, "twice": 2}
    for name in ("ge", "le", "eq"):
        last = groups.get(name, "").split()[-1:]
        if last and last[0].lower() in times:
            params: dict[str, Json] = {"op": name, "value": times[last[0].lower()]}
            break
    else:
        params = bound(match)
    op, number, high = params["op"], params["value"], params.get("high")
    if not isinstance(number, int):
        return None
    limits: dict[object, dict[str, Json]] = {
        "ge": {"min_count": number},
        "gt": {"min_count": number + 1},
        "le": {"min_count": 0, "max_count": number},
        "lt": {"min_count": 0, "max_count": max(number - 1, 0)},
        "eq": {"min_count": number, "max_count": number},
        "between": {"min_count": number, "max_count": high},
    }
    return limits.get(op)


def _edge(kind: str) -> Make:
    def make(match: "regex.Match[str]", prompt: str) -> Asked | None:
        before = prompt[max(match.start() - 50, 0) : match.start()]
        if _NOT_ALL.search(before) or _PART.search(match.groupdict().get("what") or ""):
            return None
        text = unquoted(match["text"]).strip()
        return (kind, {"text": text}) if text else None

    return make


def _nth(relation: str) -> Make:
    def make(match: "regex.Match[str]", _: str) -> Asked:
        number = _ORDINALS[match["ordinal"].lower()]
        return f"nth_paragraph_{relation}", {"n": number, "text": unquoted(match["text"])}

    return make


def _options(match: "regex.Match[str]", prompt: str) -> Asked | None:
    if regex.search(rf"{_NOT}\s+$", prompt[max(match.start() - 30, 0) : match.start()], FLAGS):
        return None
    options = quoted_texts(match["list"])
    options = options or [one.strip() for one in match["list"].split("\n") if one.strip()]
    return ("choice_among", {"options": list[Json](options)}) if len(set(options)) > 1 else None


def _repeat(match: "regex.Match[str]", prompt: str) -> Asked | None:
    """What stands above the line that asks for it, or below where it says so."""
    line = prompt.rfind("\n", 0, match.start()) + 1
    above, end = prompt[:line].strip(), prompt.find("\n", match.end())
    below = prompt[end:].strip() if end >= 0 else ""
    text = below if regex.search(r"\bbelow\b", match[0], FLAGS) or not above else above
    return ("repeat_prompt", {"text": text}) if text else None


_ORDINAL: Final = rf"(?P<ordinal>{'|'.join(_ORDINALS)})"
_SHOULD: Final = r"(?:(?:should|must|has to|needs to|to) )?"
_EXACT: Final = (
    r"(?:(?:this|the|these|an?|exact|following|specific|words?|phrase|question|sentence|text|of)"
    r":? ){0,5}"
)

RULES: Final = (
    Rule(compiled(rf"\b{_NOT} {_USING}{_THE}{_WORDS}{_AS}{_FULL_LIST}"), _avoid),
    Rule(compiled(rf"\b{_NOT} {_USING}{_THE}(?:key ?)?word {_ONE_WORD}(?= ?[.\n]|$| in )"), _avoid),
    Rule(compiled(rf"\b{_NOT} {_USING}(?P<list>{QUOTED_LIST})"), _avoid),
    Rule(compiled(rf"\bavoid {_THE}{_WORDS}{_AS}{_FULL_LIST}"), _avoid),
    Rule(
        compiled(
            rf"\b{_WORDS} (?P<list>{QUOTED_LIST}|(?:{_BARE_WORD}{_AND}){{0,8}}{_BARE_WORD}) "
            r"(?:should|must|can|may)(?:not| not|n't) "
            r"(?:appear|be used|be included|be mentioned|occur|be in)"
        ),
        _avoid,
    ),
    Rule(
        compiled(
            r"\b(?:use|includes?|including|mention|contains?|containing|has|have|with|incorporate|"
            rf"add) {_THE}{_WORDS}{_AS}{_FULL_LIST}"
        ),
        _contain,
    ),
    Rule(
        compiled(rf"\b(?P<letter>letter) (?P<item>{QUOTED}|\w) [^.\n]{{0,30}}?{_APPEARS}{_TIMES}"),
        _often,
    ),
    Rule(compiled(rf"\b(?P<letter>letter) (?P<item>{QUOTED}|\w\b),? {_TIMES}"), _often),
    Rule(compiled(rf"\b(?:key ?)?(?:word|phrase) (?P<item>{ITEM}) {_APPEARS}{_TIMES}"), _often),
    Rule(
        compiled(rf"\b(?:key ?)?(?:word|phrase) (?P<item>{ITEM}),? (?:for )?{_TIMES}"),
        _often,
    ),
    Rule(
        compiled(
            rf"\b(?:start|begin) (?P<what>(?:[\w’']+ ){{0,4}}?)with "
            rf"{_EXACT}(?P<text>{QUOTED})"
        ),
        _edge("begin_with"),
    ),
    Rule(
        compiled(
            rf"\b(?:end|finish|conclude) (?P<what>(?:[\w’']+ ){{0,4}}?)with "
            rf"{_EXACT}(?P<text>{QUOTED})"
        ),
        _edge("end_with"),
    ),
    Rule(
        compiled(
            r"\b(?:end|finish) (?P<what>(?:[\w’']+ ){0,4}?)with (?:the|this) exact "
            r"(?:phrase|question|sentence|words):? "
            r"(?P<text>[^\"“”'\s][^\"“”\n]{1,99}?)(?= ?(?:\n|$| No other| Do not))"
        ),
        _edge("end_with"),
    ),
    Rule(
        compiled(
            r"\bvery end of (?:your|the) (?:entire )?(?:response|answer|reply) should read "
            rf"(?:exactly )?(?:like)?:? ?(?P<text>{QUOTED}|[^\"“”'\s][^\"“”\n]{{1,99}}?"
            r"(?= ?(?:\n|$)))"
        ),
        _edge("end_with"),
    ),
    *(
        Rule(
            compiled(
                rf"\b{_ORDINAL} paragraph {_SHOULD}{verb} {_EXACT}(?P<text>{ITEM}\b|{QUOTED})"
            ),
            _nth(relation),
        )
        for verb, relation in (
            (r"(?:start|begin)(?:s|ning|ing)? with", "begin_with"),
            (r"(?:end|finish)(?:s|ing)? with", "end_with"),
        )
    ),
    Rule(
        compiled(
            r"\b(?:answer|say|reply|respond|choose|contain|contains|pick)\b[^.\n]{0,80}?"
            rf"(?P<list>{QUOTED}(?:,? ?(?:or)? ?{QUOTED})+)"
        ),
        lambda match, prompt: _options(match, prompt) if _says_or(match[0]) else None,
    ),
    Rule(
        compiled(
            r"\bone of the following (?:exact )?(?:phrases|answers|options|words|sentences):"
            r"[ \t]*\n(?P<list>[^\n]{1,80}(?:\n[^\n]{1,80}){1,9})"
        ),
        _options,
    ),
    Rule(
        compiled(
            r"\brepeat (?:the |this |your )?(?:exact,? |entire |full |whole |same ){0,3}"
            r"(?:request|prompt|question|sentence|instruction|text)(?: above| below)?"
        ),
        lambda match, prompt: _repeat(match, prompt) if _asks_to_repeat(match, prompt) else None,
    ),
)


def _says_or(text: str) -> bool:
    return regex.search(r"\bor\b|\bone of\b", text, FLAGS) is not None


def _asks_to_repeat(match: "regex.Match[str]", prompt: str) -> bool:
    """Before anything else, and word for word: else it may be a matter of style."""
    around = prompt[max(match.start() - 60, 0) : match.end() + 80]
    first = regex.search(r"\bfirst\b|\bbefore\b", around, FLAGS)
    exact = regex.search(
        r"word for word|without chang|exact|as it is|do not change|not change", around, FLAGS
    )
    earlier = regex.search(r"before repeating\W*$", prompt[: match.start()], FLAGS)
    return first is not None and exact is not None and earlier is None
