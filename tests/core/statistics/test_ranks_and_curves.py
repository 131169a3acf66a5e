"""Rank correlations, best-of-n curves and consistency, against brute force and scipy."""

from itertools import combinations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from rubricstudio.core.errors import StatisticsError
from rubricstudio.core.statistics import (
    Figure,
    RankedGroup,
    average_ranks,
    best_of_n,
    best_of_n_curve,
    kendall_tau,
    self_consistency,
    sign_flips,
    spearman_rho,
    undefined,
    within_groups,
)

SMALL = st.integers(0, 4)
TWO = st.lists(st.tuples(SMALL, SMALL), min_size=2, max_size=12)


@given(TWO)
def test_correlations_agree_with_an_independent_implementation(pairs):
    first, second = zip(*pairs, strict=True)
    varied = len(set(first)) > 1 and len(set(second)) > 1
    ours = kendall_tau(first, second), spearman_rho(first, second)
    if not varied:
        assert all(found.reason == "one of the two does not vary" for found in ours)
        return
    assert ours[0].value == pytest.approx(stats.kendalltau(first, second).statistic, abs=1e-12)
    assert ours[1].value == pytest.approx(stats.spearmanr(first, second).statistic, abs=1e-12)


@given(st.lists(SMALL, min_size=1, max_size=12))
def test_equal_values_share_the_mean_of_their_ranks(values):
    assert average_ranks(values) == pytest.approx(stats.rankdata(values))


def test_groups_in_which_a_correlation_is_undefined_are_left_out():
    groups = [([1, 2, 3], [1, 2, 3]), ([1, 2], [2, 1]), ([1, 1], [1, 2])]
    found = within_groups(groups, kendall_tau)
    assert found == Figure(0.0, 2, 1)
    assert within_groups(groups[2:], spearman_rho).reason == "it is undefined in every group"


@pytest.mark.parametrize(
    ("first", "second", "sentence"),
    [([1], [1, 2], "same length"), ([], [], "not empty"), ([1, float("nan")], [1, 2], "finite")],
)
def test_series_without_ranks_are_refused(first, second, sentence):
    with pytest.raises(StatisticsError, match=sentence):
        kendall_tau(first, second)


def brute_force(rewards, worth, n):
    subsets = list(combinations(range(len(rewards)), n))
    total = 0.0
    for subset in subsets:
        top = max(rewards[i] for i in subset)
        tied = [worth[i] for i in subset if rewards[i] == top]
        total += sum(tied) / len(tied)
    return total / len(subsets)


@given(st.lists(st.tuples(SMALL, st.integers(0, 9)), min_size=1, max_size=8), st.integers(1, 8))
def test_best_of_n_is_the_mean_over_all_subsets(pairs, n):
    assume(n <= len(pairs))
    rewards, worth = zip(*pairs, strict=True)
    found = best_of_n(RankedGroup(rewards, worth), n)
    assert found.value == pytest.approx(brute_force(rewards, worth, n))


def test_a_curve_says_how_many_groups_each_point_has():
    groups = [RankedGroup([1, 2, 3], [0, 0, 1]), RankedGroup([1, 2], [1, 0])]
    curve = best_of_n_curve(groups, (1, 2, 3, 4))
    # n = 1: (1/3 + 1/2) / 2. n = 2: two of three pairs hold the best, (2/3 + 0) / 2.
    assert [curve[n].value for n in (1, 2)] == pytest.approx([5 / 12, 1 / 3])
    assert [curve[n].n for n in (1, 2)] == [2, 2]
    assert curve[3] == Figure(1.0, 1, 1)
    assert curve[4] == undefined("no group has 4 responses", left_out=2)


def test_the_best_of_none_is_refused():
    with pytest.raises(StatisticsError, match="best of 0"):
        best_of_n(RankedGroup([1], [1]), 0)
    with pytest.raises(StatisticsError, match="one worth for every reward"):
        RankedGroup([1], [])


def test_consistency_is_the_chance_that_two_repeats_agree():
    # a a b: 1 of 3 pairs; c c: 1 of 1; the third has one scored repeat.
    found = self_consistency([["a", "a", "b"], ["c", "c", None], ["d", None, None]])
    assert found.value == pytest.approx(2 / 3)
    assert (found.n, found.left_out) == (2, 1)
    assert self_consistency([["a"]]).reason == "no unit was scored twice"


def test_sign_flips_of_the_worked_example():
    # Rewards [.9,.7,.4], [.6,.8,.4], [.7,.6,.65]; signs [[+,+,-],[0,+,-],[+,-,0]]:
    # per response 0, 2/3, 0; any 0, 1, 0.
    signs = [[1, 1, -1], [0, 1, -1], [1, -1, 0]]
    pairwise, any_flip = sign_flips(signs)
    assert pairwise.value == pytest.approx(0.222222, abs=2e-6)
    assert any_flip.value == pytest.approx(1 / 3)


def test_flips_need_two_runs_and_a_response():
    assert sign_flips([[1.0]])[0].reason == "fewer than two runs"
    assert sign_flips([[], []])[1].reason == "no responses"


def test_a_figure_is_a_number_or_a_reason():
    assert Figure(0.5, 3).defined
    assert not undefined("why").defined
    for wrong in (lambda: Figure(None, 1), lambda: Figure(1.0, 1, 0, "why")):
        with pytest.raises(StatisticsError, match="either a value or a reason"):
            wrong()
    with pytest.raises(StatisticsError, match="undefined for a reason"):
        Figure(float("nan"), 1)
