"""The summary of a run: what is counted how."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from apps.rewards.models import Reward
from apps.rewards.services.summary import Tally, mean_interval

UNIT = st.floats(0, 1)


def reward(value, *, coverage=1.0, flags=(), reason=""):
    return Reward(reward=value, coverage=coverage, flags=list(flags), reason=reason)


def test_the_mean_is_over_scored_rollouts_and_the_others_are_counted_by_reason():
    tally = Tally()
    tally.add(1, [reward(0.2), reward(0.6), reward(None, coverage=0.0, reason="not_judged")])
    tally.add(2, [reward(1.0, coverage=0.5)])

    found = tally.as_dict()

    # (.2 + .6 + 1) / 3; coverage (1 + 1 + 0 + .5) / 4
    assert found["mean"] == pytest.approx(0.6)
    assert (found["rewards"], found["unscored"], found["rollouts"]) == (3, 1, 4)
    assert found["unscored_by_reason"] == {"not_judged": 1}
    assert found["coverage"] == 0.625


def test_groups_are_counted_by_flag():
    tally = Tally()
    tally.add(1, [reward(0.5, flags=["zero_signal"]), reward(0.5, flags=["zero_signal"])])
    tally.add(1, [reward(0.5, flags=["single"])])

    found = tally.as_dict()

    assert found["zero_signal_groups"] == 1
    assert found["flagged_groups"] == {"single": 1, "zero_signal": 1}


def test_the_first_problems_are_enough():
    tally = Tally()
    for number in range(30):
        tally.note(f"Prompt {number}: no.")
    tally.note("")

    assert tally.as_dict()["problems"] == [f"Prompt {number}: no." for number in range(20)]


def test_without_rewards_there_is_no_mean_and_no_interval():
    found = Tally().as_dict()

    assert (found["mean"], found["interval"], found["coverage"]) == (None, None, None)


def test_one_prompt_has_no_interval():
    assert mean_interval([1.5], [3]) is None


def test_prompts_with_equal_means_have_an_interval_of_no_width():
    assert mean_interval([1.0, 2.0, 0.5], [2, 4, 1]) == (0.5, 0.5)


def test_rollouts_of_one_prompt_do_not_narrow_the_interval():
    # Two prompts, one all 0 and one all 1: however many rollouts, a draw gives 0, 1/2 or 1.
    assert mean_interval([0.0, 100.0], [100, 100]) == (0.0, 1.0)


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(UNIT, min_size=2, max_size=20))
def test_the_interval_lies_between_the_lowest_and_the_highest_prompt(means):
    bounds = mean_interval(means, [1] * len(means))

    assert bounds is not None
    low, high = bounds
    assert min(means) - 1e-12 <= low <= high <= max(means) + 1e-12
