import pytest
from hypothesis import given
from hypothesis import strategies as st

from rubricstudio.core.rewards import combine_repeats
from rubricstudio.core.types import FailureCause, Scale, UnscoredReason, Verdict

YES, PART, NO = Verdict.scored("yes", 1), Verdict.scored("part", 0.5), Verdict.scored("no", 0)
LOST = Verdict.failed(FailureCause.TIMEOUT)


def test_graded_verdicts_are_averaged_and_their_spread_is_kept():
    combined = combine_repeats([YES, PART, NO], Scale.TERNARY)

    # The deviation of 1, 0.5, 0: sqrt((0.25 + 0 + 0.25) / 2)
    assert combined == (Verdict.scored("mean", 0.5), 0.5)


def test_equal_answers_keep_their_code():
    assert combine_repeats([YES, YES], Scale.TERNARY) == (YES, 0.0)


@pytest.mark.parametrize("scale", [Scale.BINARY, Scale.POINTS])
def test_yes_or_no_goes_by_majority(scale):
    assert combine_repeats([YES, NO, NO], scale).verdict == NO


def test_an_even_split_is_unscored():
    combined = combine_repeats([YES, NO], Scale.BINARY)

    assert combined.verdict == Verdict.unscored(UnscoredReason.EVEN_SPLIT)


def test_repeats_without_a_verdict_take_no_part():
    assert combine_repeats([LOST, NO], Scale.BINARY) == (NO, None)


def test_nothing_but_lost_repeats_stays_lost():
    assert combine_repeats([LOST, LOST], Scale.TERNARY) == (LOST, None)


def test_no_repeat_at_all_is_a_missing_verdict():
    missing = Verdict.unscored(UnscoredReason.MISSING)

    assert combine_repeats([], Scale.TERNARY) == (missing, None)


@given(st.lists(st.sampled_from([YES, PART, NO, LOST]), min_size=1), st.randoms())
def test_the_order_of_repeats_does_not_matter(verdicts, random):
    mixed = verdicts.copy()
    random.shuffle(mixed)

    scores = [combine_repeats(some, Scale.TERNARY).verdict.score for some in (verdicts, mixed)]
    assert scores[0] == scores[1]
