"""The row shapes that can be told apart by content, or be forced by name."""

from enum import StrEnum


class Shape(StrEnum):
    """What a row of prompts looks like."""

    AUTO = "auto"
    TEXT = "text"
    MESSAGES = "messages"
    MT_BENCH = "mtbench"
    IFEVAL = "ifeval"
    HEALTHBENCH = "healthbench"
    WRITINGBENCH = "writingbench"


SHAPES = [shape for shape in Shape if shape is not Shape.AUTO]
"""The shapes that can be forced."""
