"""Texts as reasons show them, and outcomes made in a hurry."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rubricstudio.core.checkers.answers import LONGEST_SHOWN, shown, shown_end
from rubricstudio.core.checkers.segmentation import TextView
from rubricstudio.core.types import CheckCause, CheckOutcome, CheckResult, Span

CONTROL = re.compile(r"[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f]")


def plainly(text):
    """A text on one line, without what no page shows."""
    return " ".join(CONTROL.sub("\N{REPLACEMENT CHARACTER}", text).split())


@given(st.text(st.characters() | st.sampled_from(" \n\t\x00\x1b\x85\xa0\u200b"), max_size=120))
def test_a_text_is_shown_on_one_line_and_cut(text):
    line = plainly(text)
    if len(line) <= LONGEST_SHOWN:
        assert shown(text) == shown_end(text) == f'"{line}"'
    else:
        assert shown(text) == f'"{line[: LONGEST_SHOWN - 1].rstrip()}…"'
        assert shown_end(text) == f'"…{line[1 - LONGEST_SHOWN :].lstrip()}"'


@pytest.mark.parametrize("passed", [True, False])
def test_an_outcome_made_in_a_hurry_is_the_same(passed):
    result = CheckResult.PASSED if passed else CheckResult.FAILED
    spans = (Span(1, 2),)

    made = CheckOutcome.answered(passed, "why", spans)

    assert made == CheckOutcome(result, CheckCause.OK, "why", spans)
    assert hash(made) == hash(CheckOutcome(result, CheckCause.OK, "why", spans))
    assert CheckOutcome.answered(passed, "why").spans == ()


def test_what_a_view_computed_is_kept_and_explained():
    view = TextView("one two")

    assert view.words is view.words
    assert TextView.words.__doc__ == "The words, in order."
