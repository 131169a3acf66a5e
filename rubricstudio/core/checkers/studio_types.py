"""The constraint types of ``studio/1``: what each asks, its parameters, its function."""

from typing import Final

from rubricstudio.core.checkers import (
    amounts,
    choices,
    citations,
    containing,
    counting,
    json_form,
    languages,
    letter_case,
    markdown_forms,
    marks,
    paragraphs,
    patterns,
    places,
    repeats,
    sections,
    tables,
)
from rubricstudio.core.checkers.constraint_type import ConstraintType
from rubricstudio.core.checkers.params import Kind, Param

_TEXT: Final = Param(Kind.TEXT, "the text asked for", required=True)
_PHRASES: Final = Param(Kind.TEXTS, "the words or phrases", required=True)
_NUMBER: Final = Param(Kind.POSITION, "which paragraph: 1 is the first, -1 the last", required=True)
_TOTAL: Final = Param(Kind.COUNT, "the exact number of paragraphs, if it is asked for as well")
_SEARCH: Final = {**containing.FOLDING, "markdown": counting.MARKDOWN, "scope": counting.SCOPE}
_EDGE: Final = {**containing.FOLDING, "markdown": counting.MARKDOWN}
_FINAL: Final = {"ignore_final_punct": containing.FINAL_MARKS}
_SCOPE: Final = {"scope": counting.SCOPE}
_NTH: Final = {
    "n": _NUMBER,
    "text": _TEXT,
    "match": containing.MATCH,
    "paragraphs": _TOTAL,
    "divider": counting.DIVIDER,
}

TABLE_14: Final[tuple[ConstraintType, ...]] = (
    ConstraintType(
        "contain",
        "contains each of the phrases, or any of them",
        {
            "phrases": _PHRASES,
            "match": containing.MATCH,
            "require": Param(
                Kind.CHOICE,
                "whether all phrases are asked for or any of them",
                default="all",
                choices=("all", "any"),
            ),
            "min_count": Param(Kind.COUNT, "how often each at least", default=1),
            "max_count": Param(Kind.COUNT, "how often each at most"),
        },
        _SEARCH,
        containing.contain,
        containing.settle_counts,
    ),
    ConstraintType(
        "not_contain",
        "contains none of the phrases",
        {"phrases": _PHRASES, "match": containing.MATCH},
        _SEARCH,
        containing.not_contain,
    ),
    ConstraintType(
        "begin_with",
        "begins with the text",
        {"text": _TEXT, "match": containing.MATCH},
        _EDGE,
        containing.begin_with,
    ),
    ConstraintType(
        "end_with",
        "ends with the text",
        {"text": _TEXT, "match": containing.MATCH},
        {**_EDGE, **_FINAL},
        containing.end_with,
    ),
    ConstraintType(
        "word_count",
        "has a number of words",
        counting.BOUND_PARAMS,
        {**_SCOPE, "markdown": counting.MARKDOWN, "cjk": counting.CJK},
        counting.word_count,
        counting.settle_bound,
    ),
    ConstraintType(
        "sentence_count",
        "has a number of sentences",
        counting.BOUND_PARAMS,
        _SCOPE,
        counting.sentence_count,
        counting.settle_bound,
    ),
    ConstraintType(
        "paragraph_count",
        "has a number of paragraphs",
        {**counting.BOUND_PARAMS, "divider": counting.DIVIDER},
        {**counting.PARAGRAPH_OPTIONS, **_SCOPE},
        counting.paragraph_count,
        counting.settle_bound,
    ),
    ConstraintType(
        "line_count",
        "has a number of lines",
        counting.BOUND_PARAMS,
        {"blank_lines": Param(Kind.FLAG, "whether blank lines count", default=False), **_SCOPE},
        counting.line_count,
        counting.settle_bound,
    ),
    ConstraintType(
        "nth_paragraph_begin_with",
        "its n-th paragraph begins with the text",
        _NTH,
        {**_EDGE, **counting.PARAGRAPH_OPTIONS},
        paragraphs.nth_paragraph_begin_with,
    ),
    ConstraintType(
        "nth_paragraph_contain",
        "its n-th paragraph contains the text",
        _NTH,
        {**_EDGE, **counting.PARAGRAPH_OPTIONS},
        paragraphs.nth_paragraph_contain,
    ),
    ConstraintType(
        "nth_paragraph_end_with",
        "its n-th paragraph ends with the text",
        _NTH,
        {**_EDGE, **counting.PARAGRAPH_OPTIONS, **_FINAL},
        paragraphs.nth_paragraph_end_with,
    ),
)
"""The 11 types that paper 000 counts in its Table 14."""

STUDIO_TYPES: Final[tuple[ConstraintType, ...]] = (
    *TABLE_14,
    *amounts.TYPES,
    *letter_case.TYPES,
    *languages.TYPES,
    *json_form.TYPES,
    *markdown_forms.TYPES,
    *tables.TYPES,
    *sections.TYPES,
    *marks.TYPES,
    *choices.TYPES,
    *places.TYPES,
    *citations.TYPES,
    *repeats.TYPES,
    *patterns.TYPES,
)
"""Every constraint type of the dialect."""
