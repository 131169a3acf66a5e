import math

import pytest

from rubricstudio.core.errors import VerdictError
from rubricstudio.core.types import (
    CheckCause,
    CheckOutcome,
    CheckResult,
    FailureCause,
    UnscoredReason,
    Verdict,
    VerdictState,
)


def test_a_scored_verdict_has_a_score_and_no_reason():
    verdict = Verdict.scored("part", 0.5)

    assert (verdict.state, verdict.answer, verdict.score, verdict.reason) == (
        VerdictState.SCORED,
        "part",
        0.5,
        None,
    )


def test_an_unscored_verdict_keeps_its_answer_and_says_why():
    verdict = Verdict.unscored(UnscoredReason.OFF_SCALE, "11")

    assert (verdict.score, verdict.answer, verdict.reason) == (None, "11", "off_scale")


def test_a_failed_verdict_names_its_cause():
    assert Verdict.failed(FailureCause.TIMEOUT).reason is FailureCause.TIMEOUT


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ((VerdictState.SCORED, "yes", None, None), "a scored verdict has a finite score"),
        ((VerdictState.SCORED, "yes", math.nan, None), "a scored verdict has a finite score"),
        ((VerdictState.SCORED, "yes", 1.0, UnscoredReason.EMPTY), "a scored verdict has no reason"),
        (
            (VerdictState.UNSCORED, "", 0.0, UnscoredReason.EMPTY),
            "an unscored verdict has no score",
        ),
        ((VerdictState.UNSCORED, "", None, FailureCause.HTTP), "an unscored verdict says why"),
        ((VerdictState.FAILED, "", None, UnscoredReason.EMPTY), "a failed verdict names its cause"),
    ],
)
def test_a_verdict_that_contradicts_itself_is_refused(fields, sentence):
    with pytest.raises(VerdictError, match=sentence):
        Verdict(*fields)


@pytest.mark.parametrize(
    ("result", "cause", "score"),
    [
        (CheckResult.PASSED, CheckCause.OK, 1.0),
        (CheckResult.FAILED, CheckCause.OK, 0.0),
        (CheckResult.UNAVAILABLE, CheckCause.TIMEOUT, None),
    ],
)
def test_an_unavailable_check_has_no_score(result, cause, score):
    assert CheckOutcome(result, cause, "").score == score


@pytest.mark.parametrize(
    ("result", "cause"),
    [(CheckResult.PASSED, CheckCause.CRASH), (CheckResult.UNAVAILABLE, CheckCause.OK)],
)
def test_a_check_has_an_answer_exactly_when_its_cause_is_ok(result, cause):
    with pytest.raises(VerdictError, match="a check cannot be"):
        CheckOutcome(result, cause, "")
