"""Constraints on the forms that Markdown has: lists, headings, tables, emphasis and code."""

import re
from collections.abc import Callable
from typing import Final

from rubricstudio.core.checkers.answers import Answer, Check, Values, shown
from rubricstudio.core.checkers.constraint_type import ConstraintType
from rubricstudio.core.checkers.counting import BOUND_PARAMS, settle_bound, span_check
from rubricstudio.core.checkers.params import Kind, Param
from rubricstudio.core.checkers.segmentation import DocumentView, Part, TextView
from rubricstudio.core.checkers.segmentation.blocks import (
    Block,
    BlockKind,
    is_numbered,
    outer_items,
)
from rubricstudio.core.checkers.segmentation.lines import line_end
from rubricstudio.core.errors import ConstraintError
from rubricstudio.core.types import Json, Span

DEEPEST: Final = 6
_STARS: Final = re.compile(r"(?<![\\*])(\*{1,3})(?=[^\s*])([^*\n]++)(?<=[^\s\\])\1(?!\*)")
_UNDERSCORES: Final = re.compile(r"(?<![\w\\])(_{1,3})(?=[^\s_])([^_\n]++)(?<=\S)\1(?!\w)")
_LEVEL: Final = re.compile(r" {0,3}(#{1,6})(?=\s|\Z)")
_LINK: Final = re.compile(r"\[[^\[\]\n]++\]\([^()\s]++\)")
_INLINE_CODE: Final = re.compile(r"(?<!`)`[^`\n]++`(?!`)")
_FENCE_LINE: Final = re.compile(r"[ \t]*(?:`{3,}|~{3,})[ \t]*([^\s`]*)")


def list_item_count(params: Values, _: Values) -> Check:
    """The items of the lists of the response."""
    style, every = params["style"], params["levels"] == "all"
    noun = {"any": "list item", "bullets": "bullet point", "numbers": "numbered item"}[style]

    def find(view: DocumentView) -> list[Span]:
        return find_items(view.whole, style=style, every=every)

    return span_check(noun, params, find)


def find_items(view: TextView, *, style: str = "any", every: bool = False) -> list[Span]:
    """The first lines of list items, of the outermost lists unless every one is asked for."""
    text = view.text
    items = [
        item
        for block in view.blocks
        if block.items
        for item in (block.items if every else outer_items(text, block))
    ]
    if style != "any":
        items = [item for item in items if is_numbered(text, item) == (style == "numbers")]
    return [Span(start, line_end(text, end)) for start, end in items]


def heading_count(params: Values, _: Values) -> Check:
    """The headings of the response, of one level if that is asked for."""
    level = params["level"]

    def find(view: DocumentView) -> list[Span]:
        return [
            block.span
            for block in headings(view.whole)
            if level is None or level_of(view.text, block) == level
        ]

    return span_check("heading" if level is None else f"level-{level} heading", params, find)


def settle_heading(params: Values) -> dict[str, Json]:
    """A bound, and a level that headings have; raises :class:`ConstraintError`."""
    level = params["level"]
    if level is not None and not 1 <= level <= DEEPEST:
        raise ConstraintError(f"headings have the levels 1 to {DEEPEST}, and it asks for {level}")
    return settle_bound(params)


def headings(view: TextView) -> list[Block]:
    """The headings, in order."""
    return [block for block in view.blocks if block.kind is BlockKind.HEADING]


def level_of(text: str, heading: Block) -> int:
    """The level of a heading; one that is underlined is of the first."""
    found = _LEVEL.match(text, heading.start, heading.end)
    return len(found[1]) if found else 1


def highlight_count(params: Values, _: Values) -> Check:
    """The parts that are set off by asterisks or underscores."""
    style = params["style"]
    noun = "highlighted part" if style == "any" else f"part in {style}"
    return span_check(noun, params, lambda view: find_highlights(view, style))


def find_highlights(view: DocumentView, style: str = "any") -> list[Span]:
    """Where highlighted parts stand, code left out; three marks are bold and italic."""
    text = view.part(Part.OUTSIDE_CODE).text
    marks = {"any": (1, 2, 3), "bold": (2, 3), "italic": (1, 3)}[style]
    found = [
        Span(*one.span())
        for pattern in (_STARS, _UNDERSCORES)
        for one in pattern.finditer(text)
        if len(one[1]) in marks
    ]
    return sorted(found)


def code_block_count(params: Values, _: Values) -> Check:
    """The fenced blocks of code, of one language if that is asked for."""
    language = params["language"]
    wanted = language.strip().lower() if language else None

    def find(view: DocumentView) -> list[Span]:
        blocks = [block for block in view.whole.blocks if block.kind is BlockKind.CODE]
        return [one.span for one in blocks if wanted in (None, _language(view.text, one))]

    noun = f"{language.strip()} code block" if language else "code block"
    return span_check(noun, params, find)


def _language(text: str, block: Block) -> str:
    found = _FENCE_LINE.match(text, block.start)
    return found[1].lower() if found else ""


def markdown(params: Values, _: Values) -> Check:
    """The response uses Markdown, or uses none."""
    wanted = params["use"] == "some"

    def check(view: DocumentView) -> Answer:
        found = _first_mark(view)
        if found is None:
            return Answer(not wanted, "no Markdown in it")
        name, span = found
        seen = shown(view.text[span.start : span.end])
        return Answer(wanted, f"Markdown in it: {name} {seen}", (span,))

    return check


def _first_mark(view: DocumentView) -> tuple[str, Span] | None:
    for name, find in _MARKS:
        found = find(view)
        if found:
            return name, found[0]
    return None


def _of_kind(*kinds: BlockKind) -> Callable[[DocumentView], list[Span]]:
    return lambda view: [one.span for one in view.whole.blocks if one.kind in kinds]


def _matches(pattern: re.Pattern[str]) -> Callable[[DocumentView], list[Span]]:
    return lambda view: [Span(*one.span()) for one in pattern.finditer(view.text)]


_MARKS: Final[tuple[tuple[str, Callable[[DocumentView], list[Span]]], ...]] = (
    ("the heading", _of_kind(BlockKind.HEADING)),
    ("the code", _of_kind(BlockKind.CODE)),
    ("the list", lambda view: find_items(view.whole)),
    ("the emphasis", find_highlights),
    ("the link", _matches(_LINK)),
    ("the code", _matches(_INLINE_CODE)),
)

TYPES: Final = (
    ConstraintType(
        "list_item_count",
        "has a number of list items",
        {
            **BOUND_PARAMS,
            "style": Param(
                Kind.CHOICE,
                "which items count: any, those with bullets or those with numbers",
                default="any",
                choices=("any", "bullets", "numbers"),
            ),
            "levels": Param(
                Kind.CHOICE,
                "outermost leaves out items inside items",
                default="outermost",
                choices=("outermost", "all"),
            ),
        },
        {},
        list_item_count,
        settle_bound,
    ),
    ConstraintType(
        "heading_count",
        "has a number of headings",
        {**BOUND_PARAMS, "level": Param(Kind.COUNT, "the level that counts, 1 to 6")},
        {},
        heading_count,
        settle_heading,
    ),
    ConstraintType(
        "highlight_count",
        "has a number of highlighted parts",
        {
            **BOUND_PARAMS,
            "style": Param(
                Kind.CHOICE,
                "which parts count: any, those in bold or those in italics",
                default="any",
                choices=("any", "bold", "italic"),
            ),
        },
        {},
        highlight_count,
        settle_bound,
    ),
    ConstraintType(
        "code_block_count",
        "has a number of code blocks",
        {**BOUND_PARAMS, "language": Param(Kind.TEXT, "the language named at their start")},
        {},
        code_block_count,
        settle_bound,
    ),
    ConstraintType(
        "markdown",
        "uses Markdown, or plain text only",
        {
            "use": Param(
                Kind.CHOICE,
                "some: at least one heading, list, emphasis, link or code; none: plain text",
                default="some",
                choices=("some", "none"),
            )
        },
        {},
        markdown,
    ),
)
