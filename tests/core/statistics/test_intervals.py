"""Intervals and tests: by hand, against independent implementations, and their coverage."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint

from rubricstudio.core.errors import StatisticsError
from rubricstudio.core.statistics import (
    benjamini_hochberg,
    cluster_bootstrap,
    ratio_bootstrap,
    sign_test,
    wilson,
)


@given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_agrees_with_an_independent_implementation(counted):
    successes, n = counted
    found = wilson(successes, n)
    low, high = proportion_confint(successes, n, method="wilson")
    assert found.low == pytest.approx(low, abs=1e-12)
    assert found.high == pytest.approx(high, abs=1e-12)
    assert found.clusters == n


def test_wilson_at_the_ends_is_exact():
    assert wilson(0, 5).low == 0.0
    assert wilson(5, 5).high == 1.0


def test_a_share_of_nothing_has_no_interval():
    found = wilson(0, 0)
    assert (found.low, found.high, found.reason) == (None, None, "nothing was counted")
    assert not found.within(0, 1)


def test_an_interval_is_inside_a_band_only_as_a_whole():
    assert wilson(50, 100).within(0.3, 0.7)
    assert not wilson(50, 100).within(0.45, 0.7)


@pytest.mark.parametrize(("successes", "n"), [(3, 2), (-1, 2)])
def test_counts_that_are_no_share_are_refused(successes, n):
    with pytest.raises(StatisticsError, match="is no share"):
        wilson(successes, n)


@pytest.mark.parametrize("confidence", [0, 1, 95])
def test_a_confidence_outside_0_to_1_is_refused(confidence):
    with pytest.raises(StatisticsError, match="not between 0 and 1"):
        wilson(1, 2, confidence)


@given(st.integers(0, 60), st.integers(0, 60))
def test_the_sign_test_is_the_exact_binomial_test(wins, losses):
    if wins + losses == 0:
        assert sign_test(wins, losses) is None
        return
    theirs = stats.binomtest(wins, wins + losses).pvalue
    assert sign_test(wins, losses) == pytest.approx(theirs, abs=1e-12)


def test_the_sign_test_takes_ten_thousand_pairs():
    theirs = stats.binomtest(5_150, 10_000).pvalue
    assert sign_test(5_150, 4_850) == pytest.approx(theirs, rel=1e-9)
    assert sign_test(10_000, 0) == 0.0


def test_the_sign_test_refuses_negative_counts():
    with pytest.raises(StatisticsError, match="cannot be counted"):
        sign_test(-1, 2)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_adjusted_p_values_agree_with_an_independent_implementation(p_values):
    theirs = multipletests(p_values, method="fdr_bh")[1]
    assert benjamini_hochberg(p_values) == pytest.approx(list(theirs), abs=1e-12)


def test_p_values_outside_0_to_1_are_refused():
    with pytest.raises(StatisticsError, match="between 0 and 1"):
        benjamini_hochberg([0.5, 1.5])
    assert benjamini_hochberg([]) == []


def width(interval):
    assert interval.low is not None
    return interval.high - interval.low


def test_the_same_seed_gives_the_same_interval():
    above, below = [3.1, 1.4, 0.2, 2.7, 4.9, 1.3], [4, 3, 4, 5, 4, 3]
    assert ratio_bootstrap(above, below, seed=7) == ratio_bootstrap(above, below, seed=7)
    assert ratio_bootstrap(above, below, seed=7) != ratio_bootstrap(above, below, seed=8)


def test_both_bootstraps_draw_the_same_clusters():
    above, below = [3.0, 1.0, 0.0, 2.0, 4.0], [4.0, 4.0, 3.0, 4.0, 4.0]
    fast = ratio_bootstrap(above, below, seed=3, resamples=500)
    slow = cluster_bootstrap(
        list(zip(above, below, strict=True)),
        lambda drawn: sum(a for a, _ in drawn) / sum(b for _, b in drawn),
        seed=3,
        resamples=500,
    )
    assert fast.low == pytest.approx(slow.low)
    assert fast.high == pytest.approx(slow.high)


def test_clusters_that_are_alike_inside_widen_the_interval():
    # 30 prompts whose 9 pairs all agree: 270 pairs, but only 30 independent ones.
    chance = np.random.default_rng(1)
    prompts = chance.random(30) < 0.5
    clustered = ratio_bootstrap(9 * prompts, np.full(30, 9), seed=1)
    naive = ratio_bootstrap(np.repeat(prompts, 9), np.ones(270), seed=1)
    assert width(clustered) > 2.5 * width(naive)


def test_an_interval_over_prompts_covers_the_truth_as_often_as_it_says():
    chance = np.random.default_rng(5)
    hits, trials = 0, 200
    for trial in range(trials):
        difficulty = chance.beta(1, 1, size=60)
        wins = chance.binomial(9, difficulty)
        found = ratio_bootstrap(wins, np.full(60, 9), seed=trial, resamples=400)
        assert found.low is not None
        assert found.high is not None
        hits += found.low <= 0.5 <= found.high
    # 95 % of 200 is 190; fewer than 177 has a chance of about 1 in 10,000.
    assert hits >= 177


def test_one_prompt_has_no_interval():
    assert ratio_bootstrap([1], [2], seed=0).reason == "1 prompt; an interval needs 2"
    assert cluster_bootstrap([], lambda _: 0.0, seed=0).reason == "0 prompts; an interval needs 2"


def test_resamples_in_which_the_figure_is_undefined_are_counted():
    found = ratio_bootstrap([1, 0], [1, 0], seed=0, resamples=400)
    # Both draws fall on the second prompt in a quarter of the resamples.
    assert 60 < found.undefined < 140
    assert (found.low, found.high) == (1.0, 1.0)
    nothing = cluster_bootstrap([1, 2], lambda _: None, seed=0, resamples=5)
    assert nothing.reason == "the figure is undefined in every resample"
    assert nothing.undefined == 5


@pytest.mark.parametrize(
    ("above", "below", "sentence"),
    [([1, 2], [1], "one number each"), ([1, float("nan")], [1, 1], "not finite")],
)
def test_numbers_that_do_not_fit_are_refused(above, below, sentence):
    with pytest.raises(StatisticsError, match=sentence):
        ratio_bootstrap(above, below, seed=0)


def test_no_resamples_are_refused():
    with pytest.raises(StatisticsError, match="at least 1"):
        ratio_bootstrap([1, 2], [1, 1], seed=0, resamples=0)


def test_many_clusters_are_drawn_in_parts():
    found = ratio_bootstrap(np.ones(1_500_000), np.ones(1_500_000), seed=0, resamples=3)
    assert (found.low, found.high) == (1.0, 1.0)
