"""Texts made to be slow: each is checked by every type, under every option, in linear time.

A pattern that tried the same characters again and again would take hours on them, and the
suite's time limit would end it.
"""

import itertools

import pytest

from rubricstudio.core.checkers.registry import compile_checker
from rubricstudio.core.checkers.segmentation import DocumentView
from rubricstudio.core.types import Constraint
from tests.core.checkers.checking import EVERY_TYPE

pytestmark = pytest.mark.slow

LENGTH = 50_000

PIECES = {
    "one long word": "a",
    "dotted word": "ab.",
    "initials": "a.",
    "an address that never comes": "a@",
    "open brackets": "[",
    "open links": "[a](",
    "open parentheses of an address": "www.(",
    "stars": "*a ",
    "stars alone": "*",
    "underscores": "_a ",
    "underscores alone": "_",
    "backticks": "`",
    "backticks apart": "`a ``b ```c ",
    "open fences": "```\n",
    "tildes": "~~~\n~~~~\n",
    "dashes and spaces": "- " + " " * 50,
    "a rule that is none": "---" + " " * 500 + "x\n",
    "a table row that is none": "|-" + " " * 500 + "x\n",
    "blank lines of spaces": "\n" + " " * 100,
    "end marks": "! ",
    "dots": ".",
    "ellipses": "...",
    "items": "- a\n\n",
    "nested items": "- a\n\n  - b\n\n",
    "numbers": "1. a\n",
    "headings": "# a\n",
    "underlines": "a\n===\n",
    "quotes": ">",
    "pipes": "|",
    "dividers": "*** ",
    "han": "你。",
    "combining marks": "\u0301\u0327",
    "zero width joiners": "\u200d",
    "emoji": "🏳️‍🌈",
    "carriage returns": "\r\r\n",
    "tags": "<think>",
    "closing tags": "</think>",
}

OPTIONS: dict[str, list] = {
    "scope": ["whole", "outside_code", "prose"],
    "markdown": ["raw", "rendered"],
    "list_items": [False, True],
    "headings": [False, True],
    "ignore_final_punct": [False, True],
    "cjk": ["characters", "runs"],
}


def under_every_option(constraint):
    taken = compile_checker(constraint).constraint.options
    names = [name for name in OPTIONS if name in taken]
    choices = [OPTIONS[name] for name in names]
    for values in itertools.product(*choices):
        options = dict(zip(names, values, strict=True))
        yield compile_checker(Constraint(constraint.type, constraint.params, options))


CHECKERS = [
    checker
    for constraint in [
        *EVERY_TYPE,
        Constraint("contain", {"phrases": ["a", "a a", "! !"], "match": "substring"}),
        Constraint("paragraph_count", {"op": "eq", "value": 2, "divider": "***"}),
        Constraint("paragraph_count", {"op": "eq", "value": 2, "divider": "\n\n\n"}),
    ]
    for checker in under_every_option(constraint)
]


@pytest.mark.parametrize("piece", PIECES.values(), ids=PIECES)
def test_every_checker_answers_a_text_made_to_be_slow(piece):
    text = piece * (LENGTH // len(piece))
    view = DocumentView(f"x{text}y")

    outcomes = [checker.check(view) for checker in CHECKERS]

    assert all(outcome.reason for outcome in outcomes)
