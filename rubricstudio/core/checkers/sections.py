"""Constraints on parts that a name or a mark shows: titles, sections, postscripts and others."""

import re
from collections.abc import Iterator
from typing import Final

import regex

from rubricstudio.core.checkers.answers import Answer, Check, Values, counted, shown
from rubricstudio.core.checkers.constraint_type import ConstraintType
from rubricstudio.core.checkers.counting import BOUND_PARAMS, settle_bound, span_check
from rubricstudio.core.checkers.params import Kind, Param
from rubricstudio.core.checkers.segmentation import DocumentView, Part, fold
from rubricstudio.core.checkers.segmentation.blocks import BlockKind
from rubricstudio.core.checkers.segmentation.dividers import split_at
from rubricstudio.core.errors import ConstraintError
from rubricstudio.core.types import Json, Span

_ANGLED: Final = re.compile(r"<<(?=[^<>\n]*[^\s<>])[^<>\n]++>>")
_BOLD_LINE: Final = re.compile(r"[ \t]*(\*\*|__)(?=\S)[^*_\n]++\1:?[ \t]*(?=\n|\Z)")
_LEAD: Final = r"(?m)^[ \t]*(?:[#>*_]++[ \t]*)*"
_NUMBER: Final = r"(?:[0-9]{1,4}|[IVXLC]{1,7}|[A-Z])(?![\p{L}\p{N}])"
_NUMBERED: Final = re.compile(r"(?:\d{1,3}|[ivxlc]{1,6})[.)]\s+")
_AROUND: Final = " \t#*_>`"
_TAGS: Final = r"(?:[abipu]|[bh]r|em|[uo]l|li|t[rdh]|h[1-6]|su[bp]|div|span|strong|code|pre)[ >]"
_BRACKETS: Final = {
    "square": re.compile(
        r"\[(?![ xX]\]|[\d,;–\- ]+\])(?=[^\[\]\n]*\w)[^\[\]\n]{1,100}\](?![(\[:])"
    ),
    "curly": re.compile(r"\{(?=[^{}\n]*\w)[^{}\n]{1,100}\}"),
    "angle": re.compile(rf"<(?![/!]|https?:|{_TAGS})(?=[^<>\n]*\w)[^<>\n]{{1,100}}(?<!/)>"),
}


def title(params: Values, _: Values) -> Check:
    """The response has a title: a heading at its start, or a text in double angle brackets."""
    form = params["form"]

    def check(view: DocumentView) -> Answer:
        span = _title(view, form)
        if span is None:
            return Answer(False, _NO_TITLE[form])
        seen = shown(view.text[span.start : span.end])
        return Answer(True, f"its title is {seen}", (span,))

    return check


_NO_TITLE: Final = {
    "any": "no title: neither a heading at the start nor a text in <<double angle brackets>>",
    "heading": "no title: it does not begin with a heading",
    "angle_brackets": "no title in <<double angle brackets>>",
}


def _title(view: DocumentView, form: str) -> Span | None:
    if form != "angle_brackets":
        first = view.whole.blocks[0]
        if first.kind is BlockKind.HEADING:
            return first.span
        bold = _BOLD_LINE.match(view.text)
        if bold:
            return Span(*bold.span())
    angled = None if form == "heading" else _ANGLED.search(view.text)
    return Span(*angled.span()) if angled else None


def section_count(params: Values, _: Values) -> Check:
    """The sections that begin with a mark and a number or letter, such as "SECTION 1"."""
    marker = params["marker"].strip()
    lead = rf"{_LEAD}(?i:{regex.escape(marker)})[ \t]*+[:#]?[ \t]*+{_NUMBER}"
    pattern = regex.compile(lead)

    def find(view: DocumentView) -> list[Span]:
        return [Span(*one.span()) for one in pattern.finditer(view.text)]

    return span_check(f"part marked {marker}", params, find)


def named_sections(params: Values, _: Values) -> Check:
    """Each name stands as a heading, or at the start of a line with a colon behind it."""
    names = [(name, _name(name)) for name in params["names"]]
    in_order = params["in_order"]

    def check(view: DocumentView) -> Answer:
        places = _first_places(view.text)
        missing = [name for name, folded in names if folded not in places]
        if missing:
            told = f"{counted(len(missing), 'section')} missing, the first is {shown(missing[0])}"
            return Answer(False, told)
        spans = [places[folded] for _, folded in names]
        if in_order and spans != sorted(spans):
            return Answer(False, "the sections stand in another order", tuple(sorted(spans)))
        return Answer(True, f"all {counted(len(names), 'section')} in it", tuple(sorted(spans)))

    return check


def _first_places(text: str) -> dict[str, Span]:
    """The lines that could head a section, by what they say."""
    places: dict[str, Span] = {}
    for name, span in _section_heads(text):
        places.setdefault(name, span)
    return places


def _section_heads(text: str) -> Iterator[tuple[str, Span]]:
    start = 0
    for line in text.split("\n"):
        span = Span(start, start + len(line))
        yield _name(line), span
        # "Summary: the tea is good" begins a section as well.
        for colon in (":", "："):
            if colon in line:
                yield _name(line.split(colon)[0]), span
        start += len(line) + 1


def _name(line: str) -> str:
    flat = " ".join(fold(line).split()).strip(_AROUND)
    return _NUMBERED.sub("", flat, count=1).strip(_AROUND + ":：")


def postscript(params: Values, _: Values) -> Check:
    """A line behind the first begins with the mark of a postscript, with text behind it."""
    marker = params["marker"].strip()
    letters = [re.escape(one) for one in marker if one.isalnum()]
    lead = r"[. ]{0,2}".join(letters)
    pattern = re.compile(rf"\n[ \t*_>]*({lead}(?!\w)[.:]?+)[:*_ \t]*+(?=\S)", re.IGNORECASE)

    def check(view: DocumentView) -> Answer:
        found = pattern.search(view.text)
        if found is None:
            return Answer(False, f"no postscript: no later line begins with {shown(marker)}")
        return Answer(True, f"a postscript begins with {shown(found[1])}", (Span(*found.span(1)),))

    return check


def settle_marker(params: Values) -> dict[str, Json]:
    """A mark with a letter in it; raises :class:`ConstraintError`."""
    if not any(map(str.isalnum, params["marker"])):
        raise ConstraintError("the mark of a postscript has letters, such as P.S.")
    return dict(params)


def placeholder_count(params: Values, _: Values) -> Check:
    """The places in brackets that somebody is to fill in, such as [address]."""
    pattern = _BRACKETS[params["brackets"]]

    def find(view: DocumentView) -> list[Span]:
        text = view.part(Part.OUTSIDE_CODE).text
        return [Span(*one.span()) for one in pattern.finditer(text)]

    return span_check("placeholder", params, find)


def divided_parts(params: Values, _: Values) -> Check:
    """So many parts stand between the divider, and no two of them say the same."""
    divider, parts, different = params["divider"], params["parts"], params["different"]

    def check(view: DocumentView) -> Answer:
        spans = split_at(view.text, divider)
        if len(spans) != parts:
            told = (
                f"{counted(len(spans), 'part')} between {shown(divider)}, exactly {parts:,} asked"
            )
            return Answer(False, told)
        texts = {" ".join(fold(view.text[start:end]).split()) for start, end in spans}
        if different and len(texts) < parts:
            return Answer(False, f"of {counted(parts, 'part')} some say the same")
        return Answer(True, f"{counted(parts, 'part')} between {shown(divider)}")

    return check


def settle_parts(params: Values) -> dict[str, Json]:
    """Two parts at least; raises :class:`ConstraintError`."""
    if params["parts"] < 2:
        raise ConstraintError("a divider stands between 2 parts at least")
    return dict(params)


TYPES: Final = (
    ConstraintType(
        "title",
        "has a title",
        {
            "form": Param(
                Kind.CHOICE,
                "heading: it begins with one; angle_brackets: <<title>>; any: one of both",
                default="any",
                choices=("any", "heading", "angle_brackets"),
            )
        },
        {},
        title,
    ),
    ConstraintType(
        "section_count",
        "has a number of sections that are marked and numbered",
        {
            **BOUND_PARAMS,
            "marker": Param(Kind.TEXT, "the word in front of the number", default="SECTION"),
        },
        {},
        section_count,
        settle_bound,
    ),
    ConstraintType(
        "named_sections",
        "has sections with the names",
        {
            "names": Param(Kind.TEXTS, "the names of the sections", required=True),
            "in_order": Param(Kind.FLAG, "whether they stand in this order", default=True),
        },
        {},
        named_sections,
    ),
    ConstraintType(
        "postscript",
        "has a postscript",
        {"marker": Param(Kind.TEXT, "how it begins", default="P.S.")},
        {},
        postscript,
        settle_marker,
    ),
    ConstraintType(
        "placeholder_count",
        "has a number of places to fill in",
        {
            **BOUND_PARAMS,
            "brackets": Param(
                Kind.CHOICE,
                "the brackets around each: square [name], curly {name} or angle <name>",
                default="square",
                choices=tuple(_BRACKETS),
            ),
        },
        {},
        placeholder_count,
        settle_bound,
    ),
    ConstraintType(
        "divided_parts",
        "has parts with a divider between them",
        {
            "divider": Param(Kind.TEXT, "what stands between the parts", required=True),
            "parts": Param(Kind.COUNT, "how many parts there are", default=2),
            "different": Param(Kind.FLAG, "whether each says something else", default=True),
        },
        {},
        divided_parts,
        settle_parts,
    ),
)
