"""What the tests of constraint types share: one constraint of each type, and a check in a line."""

from typing import Any

from rubricstudio.core.checkers import registry
from rubricstudio.core.checkers.segmentation import DocumentView
from rubricstudio.core.types import CheckOutcome, CheckResult, Constraint

AT_MOST: dict[str, Any] = {"op": "le", "value": 100}

# One constraint of every type, which a response of some words may pass or fail.
EVERY_TYPE = [
    Constraint("contain", {"phrases": ["tea"]}),
    Constraint("not_contain", {"phrases": ["coffee"]}),
    Constraint("begin_with", {"text": "Dear"}),
    Constraint("end_with", {"text": "Yours"}),
    Constraint("word_count", AT_MOST),
    Constraint("sentence_count", AT_MOST),
    Constraint("paragraph_count", AT_MOST),
    Constraint("line_count", AT_MOST),
    Constraint("nth_paragraph_begin_with", {"n": 1, "text": "Dear"}),
    Constraint("nth_paragraph_contain", {"n": 1, "text": "tea"}),
    Constraint("nth_paragraph_end_with", {"n": -1, "text": "Yours"}),
    Constraint("char_count", AT_MOST),
    Constraint("unique_word_count", AT_MOST),
    Constraint("number_count", AT_MOST),
    Constraint("emoji_count", AT_MOST),
    Constraint("letter_case", {"form": "title"}),
    Constraint("capital_word_count", AT_MOST),
    Constraint("language", {"language": "ko"}),
    Constraint("json_only", {"keys": ["tea"]}),
    Constraint("list_item_count", AT_MOST),
    Constraint("heading_count", AT_MOST),
    Constraint("highlight_count", AT_MOST),
    Constraint("code_block_count", {**AT_MOST, "language": "python"}),
    Constraint("markdown", {"use": "none"}),
    Constraint("table", {"columns": 2, "rows": 2, "headers": ["Tea", "Price"]}),
    Constraint("title", {}),
    Constraint("section_count", AT_MOST),
    Constraint("named_sections", {"names": ["Tea", "Milk"]}),
    Constraint("postscript", {}),
    Constraint("placeholder_count", AT_MOST),
    Constraint("divided_parts", {"divider": "******"}),
    Constraint("no_punctuation", {"marks": [","]}),
    Constraint("sentences_end_with", {"marks": ["!"]}),
    Constraint("quotation", {}),
    Constraint("choice_among", {"options": ["tea", "no tea"]}),
    Constraint("repeat_prompt", {"text": "Dear a"}),
    Constraint("phrase_order", {"phrases": ["a", "b"]}),
    Constraint("nth_line", {"n": -1, "relation": "end_with", "text": "Yours"}),
    Constraint("nth_sentence", {"n": 2, "relation": "contain", "text": "tea"}),
    Constraint("nth_word", {"n": 3, "relation": "be", "text": "tea"}),
    Constraint("each_part_count", {"unit": "sentence", "of": "word", **AT_MOST}),
    Constraint("each_part_text", {"unit": "item", "relation": "contain", "text": "a"}),
    Constraint("acrostic", {"word": "tea", "unit": "line"}),
    Constraint("different_starts", {"unit": "sentence"}),
    Constraint("citations", {"sources": 9, "each_sentence": True}),
    Constraint("repeated_share", {}),
    Constraint("matches_pattern", {"pattern": r"(?:\w+ )+tea"}),
    Constraint("not_matches_pattern", {"pattern": r"^\s*[-*]"}),
]


def check(
    kind: str, params: dict, response: str, *, truncated: bool = False, **options: Any
) -> CheckOutcome:
    """What the checker of a constraint says about a response."""
    checker = registry.compile_checker(Constraint(kind, params, options))
    return checker.check(DocumentView(response, truncated=truncated))


def passes(kind: str, params: dict, response: str, **options: Any) -> bool | None:
    """Whether a response passes; None where the checker gives no answer."""
    result = check(kind, params, response, **options).result
    return None if result is CheckResult.UNAVAILABLE else result is CheckResult.PASSED


def found(outcome: CheckOutcome, response: str) -> list[str]:
    """The stretches of the response that the outcome points at."""
    return [response[start:end] for start, end in outcome.spans]
