"""What a paragraph and a line are in studio/1."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rubricstudio.core.checkers.segmentation import ParagraphRule, TextView
from rubricstudio.core.checkers.segmentation.blocks import BlockKind

LINES = st.lists(
    st.sampled_from(
        [
            "a b.",
            "- x",
            "1. y",
            "  z",
            "# T",
            "===",
            "---",
            "* * *",
            "```",
            "~~~",
            "",
            " ",
            "⸻",
            "2",
        ]
    ),
    max_size=12,
).map("\n".join)


def paragraphs(text, **rule):
    view = TextView(text)
    return [text[a:b].strip() for a, b in view.paragraphs(ParagraphRule(**rule))]


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("a\n \nb", 2),
        ("a\n\n\n\nb", 2),
        ("a\nb", 1),
        ("# T\n\na\n\nb", 2),
        ("# T\na", 1),
        ("Title\n===\n\na", 1),
        ("a\n\n===\n\nb", 2),
        ("one\n- x\n===\nmore", 1),
        ("a\n\n---\n\nb", 2),
        ("a\n---\nb", 2),
        ("a\n* * *\nb", 2),
        ("a\n\n⸻\n\nb", 2),
        ("p\n\n- a\n\n- b\n\n  more\n\nq", 3),
        ("1. a\n\n   - b\n\n2. c", 1),
        ("- a\n\n\tmore", 1),
        ("- a\n\n1. b", 2),
        ("- a\n\n# T\n\n- b", 2),
        ("- a\n\n***\n\n- b", 2),
        ("Intro:\n- a\n\n- b\n\nend", 2),
        ("Intro:\n\n- a\n- b", 2),
        ("```\na\n\nb\n```", 1),
        ("t:\n```py\na\n\nb\n```\nafter", 3),
        ("````\n```\n\n````\n\nx", 2),
        ("```\nnever\n\nclosed", 1),
        ("- a\n\n  ```\n  x\n\n  y\n  ```\n\n- b", 1),
        ("- a\n\n```\nx\n```\n\n- b", 3),
        ("It was hot in\n1990. Then\n\nit rained.", 2),
        ("> quoted\n>\n> more\n\nplain", 2),
        ("", 0),
    ],
)
def test_paragraphs_are_counted_as_a_careful_person_would(text, count):
    assert len(paragraphs(text)) == count


def test_a_heading_counts_as_a_paragraph_when_asked():
    assert len(paragraphs("# T\n\na\n\nb", headings=True)) == 3


def test_list_items_count_as_paragraphs_when_asked():
    text = "Intro:\n- a\n  - deep\n- b\n\nend\n\n1. x\n\n2. y"

    found = paragraphs(text, list_items=True)

    assert found == ["Intro:", "- a\n  - deep", "- b", "end", "1. x", "2. y"]


@pytest.mark.parametrize(
    ("divider", "text", "found"),
    [
        ("***", "a\n\nb\n***\nc", ["a\n\nb", "c"]),
        ("***", "a *** b", ["a", "b"]),
        ("***", "a ***bold*** b", ["a ***bold*** b"]),
        ("***", "***\na\n***\n\n***\nb\n***", ["a", "b"]),
        ("\n\n", "a\nb\n\nc\n \n\nd", ["a\nb", "c", "d"]),
        ("\n", "a\nb\n\nc", ["a", "b", "c"]),
        ("\n\n\n", "a\n\nb\n\n\nc", ["a\n\nb", "c"]),
        ("PARAGRAPH BREAK", "a PARAGRAPH BREAK b", ["a", "b"]),
    ],
)
def test_a_divider_that_is_named_is_the_only_one_that_counts(divider, text, found):
    assert paragraphs(text, divider=divider) == found


@pytest.mark.parametrize(
    ("text", "blank", "filled"), [("", 0, 0), ("a\n\n b\n \nc", 5, 3), ("a", 1, 1)]
)
def test_lines_are_counted_with_and_without_blank_ones(text, blank, filled):
    view = TextView(text)

    assert (len(view.lines), view.line_count) == (blank, filled)


def test_characters_are_code_points_with_or_without_white_space():
    view = TextView("né 🙂\n")

    assert (view.characters(), view.characters(spaces=False)) == (5, 3)


@given(LINES)
def test_blocks_stand_in_order_and_hold_every_line_that_says_something(text):
    blocks = TextView(text).blocks

    ends = [0, *(block.end for block in blocks)]
    assert all(end <= block.start for end, block in zip(ends, blocks, strict=False))
    covered = sum(text[block.start : block.end].count("a b.") for block in blocks)
    assert covered == text.count("a b.")


@given(LINES)
def test_only_blocks_of_code_and_headings_have_no_list_items(text):
    alone = [b for b in TextView(text).blocks if b.kind in (BlockKind.CODE, BlockKind.HEADING)]

    assert all(block.items == () for block in alone)
