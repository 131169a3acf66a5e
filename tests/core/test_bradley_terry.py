"""Bradley-Terry utilities: the worked numbers, invariances, and an independent optimum."""

import choix
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize

from rubricstudio.core.attributes import Select, effects, standardised
from rubricstudio.core.bradley_terry import fit, outcomes, utilities_by_rank
from rubricstudio.core.errors import SettingsError

SCORES = st.lists(st.integers(0, 4), min_size=2, max_size=8)


def one_fit(scores, rho=1.0, margin=0.0):
    table = np.array([scores], dtype=float)
    known = ~np.isnan(table)
    return fit(outcomes(table, np.array([margin])), known, rho)[0]


@pytest.mark.parametrize(
    ("scores", "utilities"),
    [
        ([4, 3, 2, 1], [0.796197, 0.260960, -0.260960, -0.796197]),
        ([1, 0, 0, 0], [0.781948, -0.260649, -0.260649, -0.260649]),
        ([1, 1, 0, 0], [0.521298, 0.521298, -0.521298, -0.521298]),
        ([1, 1, 1, 1], [0, 0, 0, 0]),
        ([1, 0], [0.337416, -0.337416]),
        (
            [8, 7, 6, 5, 4, 3, 2, 1],
            [1.3805, 0.958889, 0.56523, 0.1868, -0.1868, -0.56523, -0.958889, -1.3805],
        ),
    ],
)
def test_the_worked_utilities_come_out_of_the_table_and_of_the_fit(scores, utilities):
    assert utilities_by_rank(np.array([scores], float), 1.0)[0] == pytest.approx(
        utilities, abs=2e-6
    )
    assert one_fit(scores) == pytest.approx(utilities, abs=2e-6)


def test_a_margin_ties_scores_that_are_near():
    expected = [0.524999, 0.524999, -0.257875, -0.792122]
    assert one_fit([0.90, 0.86, 0.50, 0.10], margin=0.05) == pytest.approx(expected, abs=2e-6)


def test_a_missing_score_takes_no_part():
    assert one_fit([4, 3, np.nan, 1]) == pytest.approx([0.591062, 0, 0, -0.591062], abs=2e-6)


@pytest.mark.parametrize(("rho", "most"), [(1.0, 0.796197), (0.1, 2.288008), (0.01, 4.537491)])
def test_a_weaker_prior_spreads_the_utilities(rho, most):
    assert one_fit([4, 3, 2, 1], rho)[0] == pytest.approx(most, abs=2e-6)


@pytest.mark.parametrize("rho", [0, -1, float("nan"), float("inf")])
def test_a_prior_that_is_not_above_0_is_refused(rho):
    with pytest.raises(SettingsError, match="above 0"):
        utilities_by_rank(np.array([[1.0, 2.0]]), rho)


@settings(max_examples=50, deadline=None)
@given(SCORES, st.sampled_from([1.0, 0.3, 0.05]))
def test_the_fit_is_the_optimum_that_scipy_finds(scores, rho):
    won = outcomes(np.array([scores], float), np.zeros(1))[0]
    size = len(scores)

    def objective(at):
        gap = at[:, None] - at[None, :]
        upper = np.triu(np.ones((size, size)), 1)
        loss = won * np.logaddexp(0, -gap) + (1 - won) * np.logaddexp(0, gap)
        return (upper * loss).sum() + rho / 2 * at @ at

    theirs = optimize.minimize(objective, np.zeros(size), method="BFGS", tol=1e-12).x
    assert one_fit(scores, rho) == pytest.approx(theirs, abs=1e-6)


@settings(max_examples=30, deadline=None)
@given(st.permutations(range(5)))
def test_the_order_is_that_of_another_implementation(scores):
    data = [(i, j) for i in range(5) for j in range(5) if scores[i] > scores[j]]
    theirs = choix.opt_pairwise(5, data, alpha=0.5)
    # choix penalises alpha |u|² where this penalises rho / 2 |u|².
    assert one_fit(scores, 1.0) == pytest.approx(theirs, abs=1e-4)


@settings(max_examples=80, deadline=None)
@given(SCORES)
def test_the_table_is_the_fit(scores):
    table = utilities_by_rank(np.array([scores], float), 1.0)[0]
    assert table == pytest.approx(one_fit(scores), abs=1e-9)


@settings(max_examples=80, deadline=None)
@given(SCORES, st.sampled_from([np.cbrt, np.exp, lambda x: 1000 * x - 7]))
def test_a_rising_map_changes_no_bit(scores, rising):
    values = np.array([scores], float)
    assert (utilities_by_rank(values, 1.0) == utilities_by_rank(rising(values), 1.0)).all()


@settings(max_examples=80, deadline=None)
@given(SCORES, st.randoms())
def test_responses_change_places_with_their_utilities_and_negation_turns_them(scores, chance):
    values = np.array(scores, float)
    order = list(range(len(scores)))
    chance.shuffle(order)
    utilities = utilities_by_rank(values[None], 1.0)[0]
    assert (utilities_by_rank(values[order][None], 1.0)[0] == utilities[order]).all()
    assert (utilities_by_rank(-values[None], 1.0)[0] == -utilities).all()
    assert utilities.sum() == pytest.approx(0, abs=1e-12)


@settings(max_examples=80, deadline=None)
@given(SCORES)
def test_utilities_rise_with_wins_and_half_ties(scores):
    wins = [sum((a > b) + (a == b) / 2 for b in scores) for a in scores]
    utilities = utilities_by_rank(np.array([scores], float), 1.0)[0]
    for i in range(len(scores)):
        for j in range(len(scores)):
            assert (utilities[i] > utilities[j]) == (wins[i] > wins[j])


def test_float_noise_is_a_tie_and_a_chain_of_it_is_fitted_pair_by_pair():
    noisy = utilities_by_rank(np.array([[0.1 + 0.2, 0.3, 0.0, 1.0]]), 1.0)[0]
    assert noisy[0] == noisy[1]
    # Neighbours within the noise, the ends beyond it: no ranking, so each pair decides for itself.
    step = 0.8e-9
    chain = np.array([[1.0, 1.0 - step, 1.0 - 2 * step, 0.0]])
    utilities = utilities_by_rank(chain, 1.0)[0]
    assert utilities[0] > utilities[1] > utilities[2] > utilities[3]


def test_groups_of_one_and_large_groups_have_utilities():
    assert utilities_by_rank(np.array([[3.0]]), 1.0).tolist() == [[0.0]]
    large = utilities_by_rank(np.arange(40, dtype=float)[None], 1.0)[0]
    assert (np.diff(large) > 0).all()
    assert fit(np.zeros((0, 3, 3)), np.ones((0, 3), bool), 1.0).shape == (0, 3)


def attribute_fit(scores, tokens, *, pooled=False):
    table = np.atleast_2d(np.array(scores, float))
    swayed = standardised(np.array(tokens, float).reshape(*table.shape, -1))
    won, known = outcomes(table, np.zeros(len(table))), np.ones(table.shape, bool)
    found = effects(won, known, swayed, rho=1.0, rho_effects=1.0, pooled=pooled)
    return won, known, swayed, found


def test_the_worked_effect_of_length_comes_out():
    _won, _known, swayed, found = attribute_fit([4, 3, 2, 1], [900, 700, 400, 300])
    assert swayed.ravel() == pytest.approx([1.362770, 0.524142, -0.733799, -1.153113], abs=2e-6)
    assert found[0, 0] == pytest.approx(1.010709, abs=2e-6)
    assert attribute_fit([4, 3, 2, 1], [300, 400, 700, 900])[3][0, 0] == pytest.approx(
        -1.010709, abs=2e-6
    )
    assert attribute_fit([4, 3, 2, 1], [500] * 4)[3][0, 0] == 0
    assert attribute_fit([4, 3, 2, 1], [500, 900, 450, 350])[3][0, 0] == pytest.approx(
        0.411527, abs=2e-6
    )


def test_two_attributes_are_fitted_together():
    both = [[900, 0.02], [700, 0.06], [400, 0.01], [300, 0.03]]
    found = attribute_fit([4, 3, 2, 1], both)[3]
    assert found[0] == pytest.approx([1.016110, -0.036987], abs=2e-6)


def test_an_effect_pooled_over_a_batch_is_the_worked_one():
    scores = [[4, 3, 2, 1], [4, 3, 2, 1]]
    tokens = [[900, 700, 400, 300], [300, 700, 400, 900]]
    won, known, swayed, found = attribute_fit(scores, tokens, pooled=True)
    assert found.ravel() == pytest.approx([0.149670, 0.149670], abs=2e-6)
    removed = Select.POSITIVE_ATTENUATE.removed(found, 0.5)
    refitted = fit(won, known, 1.0, np.einsum("ngp,np->ng", swayed, removed))
    assert refitted[0] == pytest.approx([0.754900, 0.243768, -0.236655, -0.762013], abs=2e-6)
    assert refitted[1] == pytest.approx([0.832526, 0.241183, -0.233915, -0.839794], abs=2e-6)


def test_selections_remove_what_they_say():
    found = np.array([[0.8, -0.4]])
    assert Select.POSITIVE_ATTENUATE.removed(found, 0.5).tolist() == [[0.4, 0.0]]
    assert Select.REMOVE_POSITIVE.removed(found, 0.5).tolist() == [[0.8, 0.0]]
    assert Select.REMOVE_ALL.removed(found, 0.5).tolist() == [[0.8, -0.4]]


def test_nothing_to_pool_has_no_effect():
    nothing = np.zeros((0, 4, 1))
    found = effects(
        np.zeros((0, 4, 4)),
        np.ones((0, 4), bool),
        nothing,
        rho=1.0,
        rho_effects=1.0,
        pooled=True,
    )
    assert found.shape == (0, 1)


@pytest.mark.parametrize("rho", [0.05, 0.002, 1e-5])
def test_a_very_weak_prior_is_fitted_without_going_uphill(rho):
    scores = np.arange(16, dtype=float)
    utilities = one_fit(scores, rho)
    won = outcomes(scores[None], np.zeros(1))[0]
    gap = utilities[:, None] - utilities[None, :]
    slope = (won - 1 / (1 + np.exp(-gap))).sum(axis=1) - rho * utilities
    assert np.abs(slope).max() < 1e-6


def test_steps_that_never_come_to_rest_end(monkeypatch):
    monkeypatch.setattr("rubricstudio.core.bradley_terry.MOST_STEPS", 1)
    monkeypatch.setattr("rubricstudio.core.attributes.MOST_STEPS", 1)
    assert one_fit([3, 2, 1])[0] > 0
    assert attribute_fit([3, 2, 1], [5, 4, 4])[3][0, 0] > 0


def test_a_step_that_overshoots_is_shortened():
    # The offset says that the first wins for certain, and it lost: the curvature there is next to
    # nothing, and a full step would go far beyond the optimum.
    won = np.array([[[0.5, 0.0], [1.0, 0.5]]])
    found = fit(won, np.ones((1, 2), bool), 0.01, np.array([[20.0, -20.0]]))[0]
    lost = 1 / (1 + np.exp(found[0] - found[1] + 40))
    assert found[0] == pytest.approx(-found[1])
    assert 0.01 * found[0] == pytest.approx(-(1 - lost), abs=1e-9)
