"""From an answer to the row of its verdict, without a database."""

import asyncio

import pytest

from apps.judging.selectors import Cell
from apps.judging.services.inbox import Answer
from apps.judging.services.keeping import leaves_open, row_of
from apps.judging.services.keys import CellKey
from rubricstudio.core.parsing import GlobalScore, Judgement
from rubricstudio.core.types import FailureCause, UnscoredReason
from rubricstudio.llm.client import Asked, JudgeItem

CELL = Cell(7, 8, 0)


def answer(**told):
    item = JudgeItem(CellKey(1, CELL), (), (), None)
    loop = asyncio.new_event_loop()
    future = loop.create_future()
    loop.close()
    return Answer(item, Asked(**told), future)


def test_a_judgement_is_scored_with_its_evidence_and_flags():
    told = answer(value=Judgement("part", 0.5, "It says so."), flags=("coerced",))

    row = row_of(told, 42)

    assert row[:8] == (*CELL, "scored", "", "part", 0.5, "It says so.")
    assert (row.flags, row.call_id) == ('["coerced"]', 42)


def test_a_global_score_keeps_the_range_it_was_given_in():
    row = row_of(answer(value=GlobalScore(7.5, "Good.")), None)

    assert (row.state, row.answer, row.score, row.evidence) == ("scored", "7.5", 7.5, "Good.")


def test_an_unusable_answer_has_a_reason_and_no_score():
    row = row_of(answer(unscored=UnscoredReason.OFF_SCALE), None)

    assert (row.state, row.reason, row.score) == ("unscored", "off_scale", None)


def test_no_answer_has_a_cause_and_no_score():
    row = row_of(answer(failure=FailureCause.TIMEOUT), None)

    assert (row.state, row.reason, row.score) == ("failed", "timeout", None)


@pytest.mark.parametrize("cause", ["auth", "quota", "model_missing", "cancelled"])
def test_what_says_nothing_about_the_cell_leaves_it_open(cause):
    assert leaves_open(Asked(failure=FailureCause(cause)))


def test_what_failed_after_its_retries_is_final_for_the_run():
    assert not leaves_open(Asked(failure=FailureCause.TIMEOUT))
    assert not leaves_open(Asked(unscored=UnscoredReason.EMPTY))


def test_text_that_a_row_cannot_hold_is_made_fit():
    row = row_of(answer(value=Judgement("yes", 1.0, "nul \0 and half \ud800 a pair")), None)

    assert row.evidence == "nul \N{REPLACEMENT CHARACTER} and half ? a pair"
