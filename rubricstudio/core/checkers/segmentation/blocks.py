"""What a paragraph is in ``studio/1``: maximal runs of lines, and how they join to blocks.

Blank lines and thematic breaks separate. Fenced code is one block, a heading is a block of its
own, and a list is one block however loose it is: items of the same kind, and what is indented
below them, join across blank lines.
"""

import re
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


class Item(NamedTuple):
    """The mark of a list item: where its line begins, where its text does, numbered or not."""

    start: int
    text_at: int
    numbered: bool


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


class _Reader:
    """Makes runs out of the marks of a text; ``at`` is where the run being read begins."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.runs: list[Block] = []
        self.items: list[Item] = []
        self.at = 0
        self.after_break = False

    def read(self) -> list[Block]:
        for match in MARKS.finditer("\n" + self.text):
            start = match.start()
            if start < self.at:
                continue  # inside code no line means anything
            if match.lastgroup == "blank":
                self.close(start - 1)
                self.at = match.end()
            else:
                self.mark(match, start)
        self.close(len(self.text))
        return self.runs

    def mark(self, match: re.Match[str], start: int) -> None:
        # The search ran on a text with one more character in front.
        end = match.end() - 1
        if match.lastgroup == "item":
            numbered = match["item"].lstrip()[0].isdigit()
            self.items.append(Item(start, end, numbered))
        elif match.lastgroup == "underline" and start > self.at:
            self.underline(end)
        else:
            self.close(start - 1)
            self.at = self.alone(match, start, end) + 1

    def alone(self, match: re.Match[str], start: int, end: int) -> int:
        """Headings and code are runs of their own; returns where they, or a break, end."""
        if match.lastgroup == "fence":
            return self.add(BlockKind.CODE, start, code_end(self.text, start, match[0].strip()))
        if match.lastgroup == "heading":
            return self.add(BlockKind.HEADING, start, line_end(self.text, start))
        self.after_break = True
        return end

    def underline(self, end: int) -> None:
        if not self.items:
            self.at = self.add(BlockKind.HEADING, self.at, end) + 1

    def close(self, end: int) -> None:
        """End the run being read, if it has a line."""
        if end > self.at:
            listed = bool(self.items) and self.items[0].start == self.at
            self.add(BlockKind.LIST if listed else BlockKind.TEXT, self.at, end)

    def add(self, kind: BlockKind, start: int, end: int) -> int:
        self.runs.append(Block(kind, start, end, self.after_break, tuple(self.items)))
        if self.items:
            self.items = []
        self.after_break = False
        return end


def read_runs(text: str) -> list[Block]:
    """The runs of lines of a text, in order, before lists are joined."""
    return _Reader(text).read()


def join_lists(text: str, runs: Sequence[Block]) -> list[Block]:
    """Blocks from runs: what belongs to a list joins the block in which the list began."""
    groups: list[list[Block]] = []
    items: list[Item] = []
    for run in runs:
        if items and not run.after_break and _continues(text, items, run):
            groups[-1].append(run)
        else:
            groups.append([run])
            items = []
        items.extend(run.items)
    return [_joined(group) for group in groups]


def _joined(runs: Sequence[Block]) -> Block:
    first = runs[0]
    if len(runs) == 1:
        return first
    items = tuple(item for run in runs for item in run.items)
    return first._replace(end=runs[-1].end, items=items)


def _continues(text: str, items: Sequence[Item], run: Block) -> bool:
    if run.kind is BlockKind.HEADING:
        return False
    indent = indent_at(text, run.start)
    if indent >= _CONTINUES_AT:
        return True
    outer = (item for item in reversed(items) if indent_at(text, item.start) <= indent)
    same_kind = run.items[:1] and run.items[0].numbered == next(outer, items[0]).numbered
    return run.kind is BlockKind.LIST and bool(same_kind)


def split_items(text: str, block: Block) -> list[Span]:
    """A block with one span per list item of the outermost level, and one for text before it."""
    if not block.items:
        return [block.span]
    indents = [indent_at(text, item.start) for item in block.items]
    deep = min(indents) + _CONTINUES_AT
    items = zip(block.items, indents, strict=True)
    starts = [item.start for item, indent in items if indent < deep]
    if block.kind is not BlockKind.LIST:
        starts.insert(0, block.start)
    ends = [*(start - 1 for start in starts[1:]), block.end]
    return [Span(start, end) for start, end in zip(starts, ends, strict=True)]
