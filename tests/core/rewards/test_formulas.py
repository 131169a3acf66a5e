"""The numbers of paper 000's worked example, and the properties of its formulas."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rubricstudio.core.rewards import Component
from rubricstudio.core.rewards.hybrid import (
    code_score,
    combine,
    global_score,
    points_share,
    weighted_mean,
)

UNIT = st.floats(0, 1)
WEIGHTS = [5, 3, 2, 1]
VALUES = [1, 0.5, 1, 0]


def approx(value):
    return pytest.approx(value, abs=2e-6)


def test_the_rubric_score_is_the_weighted_mean_of_the_verdicts():
    # (5 * 1 + 3 * 0.5 + 2 * 1 + 1 * 0) / 11 = 8.5 / 11
    assert weighted_mean(WEIGHTS, VALUES) == approx(0.772727)


def test_the_code_score_is_the_share_of_passed_checkers():
    assert code_score([1, 1, 0]) == approx(0.666667)


def test_without_checkers_there_is_no_code_score():
    assert code_score([]) is None


@pytest.mark.parametrize(("raw", "score"), [(7.5, 0.75), (11.2, 1.0), (-1, 0.0), (0, 0.0)])
def test_the_global_score_is_a_tenth_and_clipped(raw, score):
    assert global_score(raw) == score


@pytest.mark.parametrize(
    ("alpha", "code", "reward"),
    [
        (1, 2 / 3, 0.729798),
        (1, None, 0.761364),
        (0.25, 2 / 3, 0.723064),
        (0, 2 / 3, 0.719697),
        (0, None, 0.772727),
    ],
)
def test_the_reward_of_the_worked_example(alpha, code, reward):
    parts = {Component.RUBRIC: 8.5 / 11, Component.GLOBAL: 0.75, Component.CODE: code}

    assert combine(parts, alpha) == approx(reward)


def test_nothing_with_a_weight_left_is_no_reward():
    assert combine({Component.GLOBAL: 0.5}, 0) is None
    assert combine({Component.RUBRIC: None}, 1) is None


def test_negative_points_are_subtracted_from_the_positive_ones():
    # (7 + 3 - 4) / (7 + 3): all three are met.
    assert points_share([7, 3, -4], [1, 1, 1]) == approx(0.6)


def test_more_points_lost_than_earned_are_clipped_to_zero_unless_asked_not_to():
    # (0 - 8) / 2
    assert points_share([2, -8], [0, 1]) == 0
    assert points_share([2, -8], [0, 1], clip=False) == -4


def test_no_point_to_earn_is_no_score():
    assert points_share([-8], [1]) is None


@given(st.lists(st.tuples(st.floats(0.1, 100), UNIT), min_size=1))
def test_the_weighted_mean_lies_between_the_worst_and_the_best_verdict(pairs):
    weights, values = zip(*pairs, strict=True)

    assert min(values) - 1e-12 <= weighted_mean(weights, values) <= max(values) + 1e-12


@given(st.lists(st.tuples(st.floats(0.1, 100), UNIT), min_size=1), st.floats(0.1, 100))
def test_weights_count_by_their_ratios_only(pairs, factor):
    weights, values = zip(*pairs, strict=True)

    scaled = weighted_mean([factor * weight for weight in weights], values)

    assert scaled == pytest.approx(weighted_mean(weights, values), abs=1e-12)


@given(UNIT, UNIT, st.none() | UNIT, st.floats(0, 10))
def test_the_reward_stays_between_its_worst_and_best_component(rubric, overall, code, alpha):
    parts = {Component.RUBRIC: rubric, Component.GLOBAL: overall, Component.CODE: code}
    present = [part for part in parts.values() if part is not None]

    assert min(present) - 1e-12 <= combine(parts, alpha) <= max(present) + 1e-12


@given(st.permutations(list(zip(WEIGHTS, VALUES, strict=True))))
def test_the_order_of_criteria_does_not_matter_to_the_last_bit(pairs):
    weights, values = zip(*pairs, strict=True)

    assert weighted_mean(weights, values) == weighted_mean(WEIGHTS, VALUES)
