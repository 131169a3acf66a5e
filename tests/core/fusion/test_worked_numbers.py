"""The worked examples of the papers' methods, as rows that the command reads."""

import json

import pytest

from rubricstudio.core.fusion import (
    Bucketed,
    Judged,
    PairRule,
    both_orders,
    length_penalty,
    one_against_many,
    pair_score,
    subset_mean,
    tree_score,
)
from rubricstudio.core.statistics import Preference
from tests.core.fusion import fusing
from tests.shared_data import shared_path

SCORES = [[1, 0, 1, 0], [0.9, 0.8, 0.3, 0.3], [0.2, 1, 0.2, 0]]
WEIGHTS = [3, 2, 1]


def fuse(aggregator, scores=None, weights=None, **more):
    row = {"aggregator": aggregator, "scores": scores or SCORES, "weights": weights or WEIGHTS}
    return fusing.fuse(row | more)


def near(values, tolerance=2e-6):
    return pytest.approx(values, abs=tolerance)


@pytest.mark.parametrize(
    ("aggregator", "more", "rewards"),
    [
        ("ordinal", {}, [0.524690, -0.042525, 0.085650, -0.567815]),
        ("weighted_sum", {}, [0.833333, 0.433333, 0.633333, 0.1]),
        ("uniform", {}, [0.7, 0.6, 0.5, 0.1]),
        ("zscore", {}, [0.714848, 0.045480, 0.090348, -0.850675]),
        ("gdpo", {}, [4.289087, 0.272878, 0.542087, -5.104052]),
        ("focal", {}, [0.798333, 0.443333, 0.628333, 0.085]),
        ("focal", {"settings": {"gamma": 2}}, [0.756072, 0.463896, 0.614751, 0.070660]),
        ("gated", {"rules": [0]}, [0.666667, 0, 0.266667, 0]),
        (
            "ordinal",
            {"critical": [{"criterion": 0, "levels": [0, 1, 0, 1]}]},
            [0.524690, -0.042525, 0.085650, -0.567815],
        ),
        (
            "ordinal",
            {"critical": [{"criterion": 0, "levels": [0, 0, 1, 0]}]},
            [0.524690, -0.042525, -0.667815, -0.567815],
        ),
    ],
)
def test_the_worked_rewards_come_out(aggregator, more, rewards):
    assert fuse(aggregator, **more).rewards == near(rewards)


def test_the_worked_utilities_and_gdpo_advantages_come_out():
    utilities = fuse("ordinal").utilities
    assert utilities is not None
    assert utilities[0] == near([0.521298, -0.521298, 0.521298, -0.521298])
    assert utilities[1] == near([0.792122, 0.257875, -0.524999, -0.524999])
    assert utilities[2] == near([0, 0.792998, 0, -0.792998])
    assert fuse("gdpo").advantages == near([1.109681, 0.070600, 0.140250, -1.320530])
    assert fuse("focal").flags["weights"] == near([3.0, 1.7, 1.3])


@pytest.mark.parametrize(
    ("share", "rewards"),
    [
        (0, [0.796197, 0.260960, -0.260960, -0.796197]),
        (0.25, [0.661850, 0.204372, -0.181151, -0.685071]),
        (0.5, [0.543044, 0.152521, -0.108680, -0.586884]),
        (0.75, [0.440996, 0.106373, -0.044995, -0.502375]),
        (1, [0.355773, 0.066710, 0.008909, -0.431391]),
    ],
)
def test_the_worked_attenuation_of_length_comes_out(share, rewards):
    made = fuse(
        "ordinal",
        [[4, 3, 2, 1]],
        [1],
        attributes=[[900], [700], [400], [300]],
        settings={"lambda": share, "pool": "group"},
    )
    assert made.rewards == near(rewards)


def test_attributes_with_a_selection_each_come_out():
    made = fuse(
        "ordinal",
        [[4, 3, 2, 1]],
        [1],
        attributes=[[900, 0.02], [700, 0.06], [400, 0.01], [300, 0.03]],
        settings={
            "lambda": 0.5,
            "select": ["positive_attenuate", "remove_positive"],
            "pool": "group",
        },
    )
    assert made.rewards == near([0.541863, 0.151996, -0.107951, -0.585908])


def test_a_batch_shares_one_effect():
    row = {"aggregator": "ordinal", "scores": [[4, 3, 2, 1]], "settings": {"lambda": 0.5}}
    first, second = fusing.fuse_all(
        [
            row | {"attributes": [[900], [700], [400], [300]]},
            row | {"attributes": [[300], [700], [400], [900]]},
        ]
    )
    assert first.rewards == near([0.754900, 0.243768, -0.236655, -0.762013])
    assert second.rewards == near([0.832526, 0.241183, -0.233915, -0.839794])


@pytest.mark.parametrize(("mode", "reward"), [("dag", 0.5724), ("flat", 0.5), ("hard", 0.5)])
def test_the_worked_chain_of_prerequisites_comes_out(mode, reward):
    # dag: q = .8, .5 * (.8 + .2 * .2) = .42, .9 * .42 = .378; (2.4 + .84 - .378) / 5.
    made = fuse(
        "gear",
        [[0.8], [0.5], [0.9]],
        [3, 2, -1],
        edges=[[0, 1, "strong_prerequisite"], [1, 2, "trigger"]],
        settings={"mode": mode},
    )
    assert made.rewards == near([reward])


BUCKETS = {
    "scores": [[1], [0], [1], [1], [0], [1], [1], [0]],
    "weights": [5, 4, 3, 4, 3, 5, 5, 3],
    "buckets": ["accuracy"] * 3 + ["composition"] * 2 + ["safety"] + ["general"] * 2,
    "essential": [True, True, False, True, False, True, True, False],
}


@pytest.mark.parametrize(
    ("more", "reward"),
    [
        ({}, 0.642857),
        ({"settings": {"essential_only": True}}, 0.789474),
        (
            {"lengths": [10], "reference_length": 5, "settings": {"length_penalty": True}},
            0.586857,
        ),
    ],
)
def test_the_worked_buckets_come_out(more, reward):
    assert fuse("bucketed", **BUCKETS, **more).rewards == near([reward])


def test_one_bucket_is_a_plain_rubric():
    one = BUCKETS | {"buckets": ["general"] * 8}
    assert fuse("bucketed", **one).rewards == near([0.6875])


def test_effective_shares_tell_what_a_bucket_really_weighs():
    # a W: composition .5 * 7, accuracy .3 * 12, safety .1 * 5, general .1 * 8; 8.4 together.
    shares = fuse("bucketed", **BUCKETS).flags["effective_shares"]
    assert shares == near(
        {"composition": 0.416667, "accuracy": 0.428571} | {"safety": 0.059524, "general": 0.095238}
    )


@pytest.mark.parametrize(
    ("ratio", "penalty"),
    [(0.5, 0), (1.4, 0), (1.5, 0.01), (1.8, 0.04), (2.0, 0.056), (2.8, 0.12), (5, 0.12)],
)
def test_the_length_penalty_has_its_knots(ratio, penalty):
    assert length_penalty(ratio) == pytest.approx(penalty, abs=1e-12)


def test_a_penalty_stops_at_0():
    small = {"scores": [[0.05]], "weights": [1], "buckets": ["general"]}
    more = {"lengths": [25], "reference_length": 5, "settings": {"length_penalty": True}}
    assert fuse("bucketed", **small, **more).rewards == (0.0,)


def test_lengths_that_say_nothing_are_flagged():
    one = {"scores": [[1, 1, 1]], "weights": [1], "buckets": ["general"]}
    penalty = {"settings": {"length_penalty": True}}
    assert fuse("bucketed", **one, **penalty).flags["no_reference"] is True
    odd = fuse("bucketed", **one, lengths=[None, 0, 4], reference_length=5, **penalty).flags
    assert (odd["length_unknown"], odd["empty_response"]) == ([0], [1])


def test_normalised_buckets_weigh_their_means():
    # Means: composition 4/7, accuracy 8/12, safety 1, general 5/8.
    expected = 0.5 * 4 / 7 + 0.3 * 8 / 12 + 0.1 + 0.1 * 5 / 8
    made = fuse("bucketed", **BUCKETS, settings={"bucket_norm": True})
    assert made.rewards == near([expected])
    assert Bucketed().coefficients["composition"] == 0.5


HYBRID = {"global": [8, 10], "checks": [[1, 0], [1, 1]]}


def test_the_hybrid_reward_is_the_mean_of_its_components():
    # s_r = 2/3 and 1/3, s_c = 1 and .5, s_g = .8 and 1: (2/3 + 1 + .8) / 3 and (1/3 + .5 + 1) / 3.
    scores, weights = [[1, 0], [0, 1]], [2, 1]
    made = fuse("hybrid", scores, weights, **HYBRID)
    assert made.rewards == near([0.822222, 0.611111])
    assert made.components["code"] == (1.0, 0.5)
    alone = fuse("hybrid", scores, weights, settings={"alpha": 0.5}, **{"global": [8, 10]})
    assert alone.rewards == near([(2 / 3 + 0.4) / 1.5, (1 / 3 + 0.5) / 1.5])
    rubric = fuse("hybrid", scores, weights, settings={"components": "R"}, **HYBRID)
    assert rubric.rewards == near([2 / 3, 1 / 3])


def test_points_are_taken_away_and_kept_in_0_to_1():
    made = fuse("points", [[1, 0, 1], [1, 1, 0]], [5, -10])
    assert made.rewards == (0.0, 0.0, 1.0)
    free = fuse("points", [[1, 0, 1], [1, 1, 0]], [5, -10], settings={"clip": False})
    assert free.rewards == (-1.0, -2.0, 1.0)


@pytest.mark.parametrize(
    ("judged", "rule", "score"),
    [
        (
            [("core", 2), ("important", -1), ("highlight", -2), ("core", 0)],
            PairRule.CODE_VETO,
            0.75,
        ),
        (
            [("core", 2), ("important", -1), ("highlight", -2), ("core", 0)],
            PairRule.VETO_FULL,
            6 / 13,
        ),
        ([("critical", -2), ("core", 2), ("core", 2)], PairRule.VETO_FULL, -2),
        ([("critical", 0), ("core", 1)], PairRule.CODE_VETO, 0.9999998),
        ([("critical", -2), ("critical", -2)], PairRule.CODE_VETO, -4),
        ([("critical", -2), ("critical", -2)], PairRule.VETO_FULL, -2),
        ([("core", 2), ("important", -1)], PairRule.PAPER, 8 / 7),
        ([("critical", -2), ("core", 2)], PairRule.PAPER, 0),
    ],
)
def test_the_criteria_of_a_comparison_make_its_score(judged, rule, score):
    assert pair_score([Judged(*one) for one in judged], rule) == pytest.approx(score, abs=1e-6)


def test_a_comparison_without_criteria_has_no_score():
    assert pair_score([]) is None


def test_two_orders_agree_or_tie():
    assert both_orders(1.0, 0.5) == (Preference.WIN, 0.75)
    assert both_orders(1.0, 0.0) == (Preference.TIE, 0.0)
    assert both_orders(-1.0, -3.0) == (Preference.LOSE, -1.5)
    assert both_orders(0.5, 0.5, min_score=0.5).label is Preference.TIE


def test_one_against_many_loses_with_any_loss():
    win, tie, lose = Preference.WIN, Preference.TIE, Preference.LOSE
    assert one_against_many([win, win]) is win
    assert one_against_many([win, tie]) is tie
    assert one_against_many([win, tie, lose]) is lose
    assert one_against_many([]) is None


def test_overall_figures_are_plain_means_of_subsets():
    assert subset_mean({"a": 80.0, "b": 90.0}) == 85.0
    assert subset_mean({}) is None


@pytest.mark.shared
@pytest.mark.parametrize("name", ["all-in-one", "semantic-self-consistency"])
def test_published_trees_of_grades_come_out_to_float_precision(name):
    published = json.loads(shared_path(f"paperbench/{name}_expected_result.json").read_text())
    tree = published.get("graded_task_tree", published)
    found = tree_score(tree, children="sub_tasks", weight="weight", score="score")
    assert found == pytest.approx(tree["score"], abs=1e-12)


def test_a_tree_with_a_leaf_that_lacks_its_score_has_none():
    leaf = {"weight": 1, "score": 1.0}
    keys = {"children": "parts", "weight": "weight", "score": "score"}
    assert tree_score({"parts": [leaf, {"weight": 3, "score": 0.0}]}, **keys) == 0.25
    assert tree_score({"parts": [leaf, {"weight": 3}]}, **keys) is None
    assert tree_score({"parts": [{"weight": 0, "score": 1.0}]}, **keys) is None
