"""The segmentation dialect ``studio/1``: what counts as a word, a line, a paragraph, a sentence."""

from rubricstudio.core.checkers.segmentation.folding import EVERYTHING, Folding, fold
from rubricstudio.core.checkers.segmentation.prepare import normalise
from rubricstudio.core.checkers.segmentation.view import (
    REVISION,
    SEGMENTATION,
    DocumentView,
    ParagraphRule,
    Part,
    TextView,
)

__all__ = [
    "EVERYTHING",
    "REVISION",
    "SEGMENTATION",
    "DocumentView",
    "Folding",
    "ParagraphRule",
    "Part",
    "TextView",
    "fold",
    "normalise",
]
