"""Specs as pages show them: from rows to words and shares, without queries."""

from apps.specs.showing.differences import Differences, differences
from apps.specs.showing.disagreements import disagreements_of
from apps.specs.showing.evidence import Stretch, asked_text, marked_prompt
from apps.specs.showing.rubric import Bucket, ShownCriterion, facts_of, rubric_of
from apps.specs.showing.words import ShownConstraint, constraint_words, shown_constraints

__all__ = [
    "Bucket",
    "Differences",
    "ShownConstraint",
    "ShownCriterion",
    "Stretch",
    "asked_text",
    "constraint_words",
    "differences",
    "disagreements_of",
    "facts_of",
    "marked_prompt",
    "rubric_of",
    "shown_constraints",
]
