"""What a paragraph is in ``studio/1``: maximal runs of lines, and how they join to blocks.

Blank lines and thematic breaks separate. Fenced code is one block, a heading is a block of its
own, and a list is one block however loose it is: items of the same kind, and what is indented
below them, join across blank lines.
"""

from collections.abc import Sequence
from enum import Enum
from typing import Final, NamedTuple

from rubricstudio.core.checkers.segmentation.lines import MARKS, code_end, indent_at, line_end
from rubricstudio.core.types import Span

_CONTINUES_AT: Final = 2


class BlockKind(Enum):
    """What a block is."""

    TEXT = "text"
    LIST = "list"
    HEADING = "heading"
    CODE = "code"


Item = tuple[int, int]
"""The mark of a list item: where its line begins, and where its text does."""


class Block(NamedTuple):
    """Lines that stand together, by their positions in the text.

    ``items`` are the list items among them; a block of text may end in a list. ``after_break``
    says that a thematic break stands in front.
    """

    kind: BlockKind
    start: int
    end: int
    after_break: bool = False
    items: tuple[Item, ...] = ()

    @property
    def span(self) -> Span:
        """Where the block stands in the text."""
        return Span(self.start, self.end)


def read_runs(text: str) -> list[Block]:
    """The runs of lines of a text, in order, before lists are joined."""
    runs: list[Block] = []
    items: list[Item] = []
    at, after_break = 0, False  # where the run being read begins, and what stands in front of it
    for match in MARKS.finditer("\n" + text):
        # The search runs on a text with one more character in front.
        start, end = match.span()
        end, kind = end - 1, match.lastgroup
        if start < at or (kind == "underline" and items and start > at):
            continue  # inside code no line means anything, and a list has no underline
        if kind == "item":
            items.append((start, end))
            continue
        if kind == "underline" and start > at:
            kind, start = "heading", at
        if start - 1 > at:
            runs.append(_lines(at, start - 1, after_break, items))
            items, after_break = [], False
        if kind in ("heading", "fence"):
            ends = line_end(text, end) if kind == "heading" else code_end(text, start, end)
            runs.append(Block(_ALONE[kind], start, ends, after_break))
            at, after_break = ends + 1, False
        else:
            at, after_break = end + 1, after_break or kind != "blank"
    if len(text) > at:
        runs.append(_lines(at, len(text), after_break, items))
    return runs


_ALONE: Final = {"heading": BlockKind.HEADING, "fence": BlockKind.CODE}


def _lines(start: int, end: int, after_break: bool, items: Sequence[Item]) -> Block:
    """Lines of text, or of a list when the first of them is an item."""
    if not items:
        return Block(BlockKind.TEXT, start, end, after_break)
    kind = BlockKind.LIST if items[0][0] == start else BlockKind.TEXT
    return Block(kind, start, end, after_break, tuple(items))


def join_lists(text: str, runs: Sequence[Block]) -> list[Block]:
    """Blocks from runs: what belongs to a list joins the block in which the list began."""
    blocks: list[Block] = []
    items: list[Item] = []
    joined: dict[int, list[Block]] = {}
    for run in runs:
        if items and not run.after_break and _continues(text, items, run):
            joined.setdefault(len(blocks) - 1, []).append(run)
            items.extend(run.items)
        else:
            blocks.append(run)
            items = list(run.items)
    for place, more in joined.items():
        blocks[place] = _joined(blocks[place], more)
    return blocks


def _joined(first: Block, more: Sequence[Block]) -> Block:
    items = tuple(item for run in (first, *more) for item in run.items)
    return first._replace(end=more[-1].end, items=items)


def _continues(text: str, items: Sequence[Item], run: Block) -> bool:
    if run.kind is BlockKind.HEADING:
        return False
    indent = indent_at(text, run.start)
    if indent >= _CONTINUES_AT:
        return True
    if run.kind is not BlockKind.LIST:
        return False
    outer = (item for item in reversed(items) if indent_at(text, item[0]) <= indent)
    return is_numbered(text, run.items[0]) == is_numbered(text, next(outer, items[0]))


def outer_items(text: str, block: Block) -> list[Item]:
    """The list items of a block that are not inside another item."""
    indents = [(item, indent_at(text, item[0])) for item in block.items]
    deep = min((indent for _, indent in indents), default=0) + _CONTINUES_AT
    return [item for item, indent in indents if indent < deep]


def is_numbered(text: str, item: Item) -> bool:
    """Whether the mark of a list item is a number."""
    start, text_at = item
    return text[start:text_at].lstrip()[:1].isdigit()


def split_items(text: str, block: Block) -> list[Span]:
    """A block with one span per list item of the outermost level, and one for text before it."""
    if not block.items:
        return [block.span]
    starts = [start for start, _ in outer_items(text, block)]
    if block.kind is not BlockKind.LIST:
        starts.insert(0, block.start)
    ends = [*(start - 1 for start in starts[1:]), block.end]
    return [Span(start, end) for start, end in zip(starts, ends, strict=True)]
