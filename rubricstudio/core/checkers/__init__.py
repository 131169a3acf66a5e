"""Checkers: constraints that code can verify, as data over one document view per response.

``registry`` holds the constraint types, ``segmentation`` says what a word, a line, a paragraph and
a sentence are in ``studio/1``, ``ifeval`` reads as the published evaluators do, and ``given`` reads
what published files state.
"""

from rubricstudio.core.checkers.constraint_type import ConstraintType
from rubricstudio.core.checkers.registry import (
    REGISTRY_VERSION,
    TYPES,
    Checker,
    Checklist,
    check_all,
    compile_checker,
    find_type,
    normalised,
    refusal,
)
from rubricstudio.core.checkers.segmentation import DocumentView

__all__ = [
    "REGISTRY_VERSION",
    "TYPES",
    "Checker",
    "Checklist",
    "ConstraintType",
    "DocumentView",
    "check_all",
    "compile_checker",
    "find_type",
    "normalised",
    "refusal",
]
