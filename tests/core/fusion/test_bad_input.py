"""What cannot be fused is refused by name, and what is missing is never a score."""

import numpy as np
import pytest

from rubricstudio.core.errors import CoreError, GroupError, SettingsError
from rubricstudio.core.fusion import Ordinal, ScoreMatrix, fuse_rows
from tests.core.fusion.fusing import fuse, fuse_all

GROUP = {"aggregator": "weighted_sum", "scores": [[1, 0], [0.5, None]], "weights": [1, 3]}


def test_a_criterion_with_a_missing_score_counts_for_nobody():
    made = fuse(GROUP)
    assert made.rewards == (1.0, 0.0)
    assert made.flags["dropped"] == [1]
    assert made.flags["coverage"] == 0.75


@pytest.mark.parametrize(
    ("settings", "rewards", "told"),
    [
        ({"missing": "unscore_response"}, (0.625, None), {"1": "missing_item"}),
        ({"missing": "fail"}, (0.625, 0.0), None),
        (
            {"missing": "reject"},
            (None, None),
            {"0": "below_coverage", "1": "below_coverage"},
        ),
        ({"missing": "reject", "min_coverage": 0.7}, (1.0, 0.0), None),
    ],
)
def test_the_rule_for_missing_scores_is_a_setting(settings, rewards, told):
    made = fuse(GROUP | {"settings": settings})
    assert made.rewards == rewards
    assert made.flags.get("unscored") == told


RULES = (
    "weighted_sum",
    "uniform",
    "zscore",
    "gdpo",
    "focal",
    "ordinal",
    "points",
    "gear",
    "hybrid",
)


@pytest.mark.parametrize("rule", RULES)
def test_a_group_in_which_nothing_was_scored_has_no_reward(rule):
    made = fuse({"aggregator": rule, "scores": [[None, None]], "weights": [1]})
    assert made.rewards == (None, None)
    assert made.advantages == (None, None)
    assert set(made.flags["unscored"].values()) == {"nothing_scored"}


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("scores", [[], [[]]])
def test_an_empty_group_is_no_error(rule, scores):
    assert fuse({"aggregator": rule, "scores": scores}).rewards == ()


@pytest.mark.parametrize("rule", RULES)
def test_a_group_of_one_has_advantage_0(rule):
    made = fuse({"aggregator": rule, "scores": [[0.5]], "weights": [2]})
    assert made.advantages == (0.0,)
    assert made.flags["single"] is True


@pytest.mark.parametrize("rule", RULES)
def test_a_group_that_is_tied_throughout_has_no_signal(rule):
    made = fuse({"aggregator": rule, "scores": [[0.5, 0.5, 0.5]], "weights": [2]})
    assert made.advantages == (0.0, 0.0, 0.0)
    assert made.flags["zero_signal"] is True


@pytest.mark.parametrize("rule", RULES)
def test_weights_that_are_all_0_score_nobody(rule):
    row = {"aggregator": rule, "scores": [[0.5, 1]], "weights": [0]}
    assert fuse(row).rewards == (None, None)


@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        ([], "a row is a JSON object"),
        ({"scores": [[1]]}, "the aggregator None is unknown; known are ordinal"),
        ({"aggregator": "best"}, "'best' is unknown"),
        (GROUP | {"settings": []}, None),
        (GROUP | {"settings": 3}, "settings is 3"),
        (GROUP | {"settings": {"gama": 1}}, "has no setting 'gama'"),
        (GROUP | {"settings": {"missing": "guess"}}, "has to be one of"),
        (GROUP | {"settings": {"advantage": "best"}}, "has to be one of center, scale, std"),
        (GROUP | {"weights": [1]}, "1 weights for 2 criteria"),
        (GROUP | {"weights": [1, None]}, "weights for 2 criteria"),
        (GROUP | {"weights": [1, -1]}, "weights of 0 or more"),
        (GROUP | {"weights": "1"}, "has to be a list of numbers"),
        (GROUP | {"scores": [[1, 0], [1]]}, "row 1 of scores has 1 entries for 2"),
        (GROUP | {"scores": [[1, float("nan")], [1, 1]]}, "takes finite numbers"),
        (GROUP | {"scores": [[1, float("inf")], [1, 1]]}, "takes finite numbers"),
        (GROUP | {"scores": [["a", 1], [1, 1]]}, "takes finite numbers"),
        (GROUP | {"scores": 3}, "list of lists"),
        (GROUP | {"aggregator": "gated"}, "needs the places of its rules"),
        (GROUP | {"aggregator": "gated", "rules": [7]}, "no criterion 7; there are 2"),
        (GROUP | {"aggregator": "gated", "rules": ["0"]}, "a place counted from 0"),
        (GROUP | {"aggregator": "pairwise", "rules": [0]}, "no checker 0; there are 0"),
        (GROUP | {"aggregator": "gear", "edges": [[0, 2, "trigger"]]}, "no criterion 2"),
        (GROUP | {"essential": [True]}, "essential has 1 entries for 2 criteria"),
        (GROUP | {"aggregator": "bucketed"}, "needs the bucket of every criterion"),
        (GROUP | {"aggregator": "bucketed", "buckets": ["x", "y"]}, "'x' has no coefficient"),
        (GROUP | {"aggregator": "bucketed", "buckets": ["x"]}, "1 entries for 2 criteria"),
        (
            GROUP
            | {
                "aggregator": "bucketed",
                "buckets": ["general"] * 2,
                "settings": {"essential_only": True},
            },
            "which criteria are essential",
        ),
        (
            GROUP | {"aggregator": "bucketed", "settings": {"coefficients": {"general": 0}}},
            "at least one bucket",
        ),
        (
            GROUP | {"aggregator": "gear", "edges": [[0, 1, "trigger"], [1, 0, "trigger"]]},
            "in a circle",
        ),
        (GROUP | {"aggregator": "gear", "edges": [[0, 1, "maybe"]]}, "'maybe' is unknown"),
        (GROUP | {"aggregator": "gear", "edges": [[0, 1]]}, r"\[from, to, kind\]"),
        (GROUP | {"aggregator": "hybrid", "settings": {"alpha": -1}}, "alpha is -1"),
        (GROUP | {"aggregator": "hybrid", "settings": {"alpha": "x"}}, "alpha is 'x'"),
        (GROUP | {"aggregator": "hybrid", "global": [1]}, "overall has the shape"),
        (GROUP | {"aggregator": "hybrid", "settings": {"alpha": {"kind": "up"}}}, "of alpha"),
        (GROUP | {"aggregator": "ordinal", "settings": {"rho": 0}}, "above 0"),
        (GROUP | {"aggregator": "ordinal", "settings": {"ties": "davidson"}}, "one of half"),
        (GROUP | {"aggregator": "ordinal", "settings": {"tie_margin": [1]}}, "1 tie margins"),
        (GROUP | {"aggregator": "ordinal", "settings": {"tie_margin": -1}}, "tie margin is -1"),
        (GROUP | {"aggregator": "ordinal", "settings": {"tie_margin": "a"}}, "cannot be read"),
        (GROUP | {"aggregator": "ordinal", "settings": {"lambda": 2}}, "lambda is 2"),
        (GROUP | {"aggregator": "ordinal", "attributes": [[1], [None]]}, "attribute is missing"),
        (GROUP | {"aggregator": "ordinal", "attributes": [[1], [1, 2]]}, "different length"),
        (GROUP | {"aggregator": "ordinal", "attributes": [1, 2]}, "a list for each response"),
        (GROUP | {"aggregator": "ordinal", "critical": [{"criterion": 0}]}, "and its levels"),
        (
            GROUP | {"aggregator": "ordinal", "critical": [{"criterion": 0, "levels": [0]}]},
            "1 levels for 2",
        ),
        (
            GROUP | {"aggregator": "ordinal", "critical": [{"criterion": 0, "levels": [0, -1]}]},
            "0 for a pass",
        ),
        (GROUP | {"aggregator": "focal", "scores": [[1, 3], [0, 0]]}, "scores from 0 to 1"),
        (GROUP | {"aggregator": "pairwise", "comparisons": [{"i": 0}]}, "the places i and j"),
        (
            GROUP | {"aggregator": "pairwise", "comparisons": [{"i": 0, "j": 0, "score": 1}]},
            "compared with itself",
        ),
        (
            GROUP | {"aggregator": "pairwise", "comparisons": [{"i": 0, "j": 9, "score": 1}]},
            "the response 9 of 2",
        ),
        (GROUP | {"aggregator": "pairwise", "settings": {"anchor": 5}}, "response 5 of 2"),
        (GROUP | {"aggregator": "pairwise", "settings": {"anchor": -1}}, "a place from 0"),
        (GROUP | {"aggregator": "pairwise", "settings": {"eta": -1}}, "eta is -1"),
    ],
)
def test_what_cannot_be_fused_is_refused_with_a_sentence(row, sentence):
    if sentence is None:
        assert fuse(row).rewards == (1.0, 0.0)
        return
    with pytest.raises(CoreError, match=sentence):
        fuse(row)


@pytest.mark.parametrize(
    ("judged", "sentence"),
    [({"score": 3, "tier": "core"}, "outside -2 to 2"), ({"score": 1, "tier": "top"}, "unknown")],
)
def test_a_comparison_off_its_scale_is_refused(judged, sentence):
    pairs = [{"i": 0, "j": 1, **judged}, {"i": 1, "j": 0, **judged}]
    with pytest.raises(GroupError, match=sentence):
        fuse(GROUP | {"aggregator": "pairwise", "comparisons": pairs, "settings": {"anchor": 0}})


def test_one_bad_row_of_a_batch_costs_the_others_nothing():
    good = {"aggregator": "gdpo", "scores": [[1, 0]], "weights": [1]}
    bad = good | {"weights": [-1]}
    first, second, third = fuse_rows([good, bad, good])
    assert isinstance(second, GroupError)
    assert [first, third] == fuse_all([good, good])
    assert [str(one) for one in fuse_rows([bad, bad])] == [str(second)] * 2


def test_a_missing_gate_is_unscored_and_never_a_pass():
    row = {"aggregator": "gated", "scores": [[1, None], [0.5, 0.5]], "rules": [0]}
    made = fuse(row)
    assert made.rewards == (0.5, None)
    assert made.flags["unscored"] == {"1": "missing_item"}
    assert made.flags["gated"] == []


def test_a_missing_critical_level_is_unscored():
    critical = [{"criterion": 0, "levels": [0, None, 1]}]
    made = fuse({"aggregator": "ordinal", "scores": [[1, 2, 3]], "critical": critical})
    assert made.rewards[1] is None
    assert made.flags["gated"] == [2]
    best, _, held = made.rewards
    assert best is not None
    assert held == pytest.approx(best - 0.1)


def test_an_unscored_response_still_compares_on_what_it_has():
    row = {
        "aggregator": "ordinal",
        "scores": [[4, 3, None, 1], [1, 2, 3, 4]],
        "settings": {"missing": "unscore_response"},
    }
    made = fuse(row)
    assert made.rewards[2] is None
    assert made.utilities is not None
    first, second, missing, last = made.utilities[0]
    assert missing is None
    assert [first, second, last] == pytest.approx([0.591062, 0, -0.591062], abs=2e-6)
    assert made.utilities[1] == pytest.approx([-0.796197, -0.26096, 0.26096, 0.796197], abs=2e-6)


def test_a_dropped_prerequisite_takes_its_edge_with_it():
    row = {
        "aggregator": "gear",
        "scores": [[0, None], [1, 1]],
        "weights": [1, 1],
        "edges": [[0, 1, "trigger"]],
    }
    assert fuse(row).rewards == (1.0, 1.0)
    turned = row | {"edges": [[1, 0, "trigger"]]}
    assert fuse(turned).rewards == (1.0, 1.0)


def test_saturated_criteria_keep_their_weights():
    made = fuse({"aggregator": "focal", "scores": [[1, 1], [1, 1]], "weights": [1, 3]})
    assert made.rewards == (1.0, 1.0)


def test_criteria_that_are_all_tied_can_leave_the_sum_of_weights():
    row = {"aggregator": "ordinal", "scores": [[1, 0], [1, 1]], "weights": [1, 1]}
    assert fuse(row).rewards[0] == pytest.approx(0.337416 / 2, abs=2e-6)
    active = fuse(row | {"settings": {"renorm_active": True}})
    assert active.rewards[0] == pytest.approx(0.337416, abs=2e-6)
    nothing = fuse(
        {"aggregator": "ordinal", "scores": [[1, 1]], "settings": {"renorm_active": True}}
    )
    assert nothing.rewards == (0.0, 0.0)


def test_pooled_outcomes_are_one_fit():
    scores = [[1, 0, 1, 0], [0.9, 0.8, 0.3, 0.3], [0.2, 1, 0.2, 0]]
    made = fuse(
        {
            "aggregator": "ordinal",
            "scores": scores,
            "weights": [3, 2, 1],
            "settings": {"fusion": "pooled"},
        }
    )
    assert made.rewards == pytest.approx([0.514032, -0.042038, 0.0852, -0.557194], abs=2e-6)
    assert made.utilities is None
    alone = fuse({"aggregator": "ordinal", "scores": [], "settings": {"fusion": "pooled"}})
    assert alone.rewards == ()


def test_attributes_never_make_signal_where_there_is_none():
    made = fuse(
        {
            "aggregator": "ordinal",
            "scores": [[1, 1, 1]],
            "attributes": [[1], [2], [3]],
            "settings": {"lambda": 1, "pool": "group"},
        }
    )
    assert made.rewards == (0.0, 0.0, 0.0)
    assert made.flags["tied"] == [0]


def test_groups_of_a_batch_need_the_same_attributes():
    row = {"aggregator": "ordinal", "scores": [[1, 0]], "settings": {"select": ["remove_all"]}}
    one, other = fuse_rows(
        [row | {"attributes": [[1], [2]]}, row | {"attributes": [[1, 5], [2, 4]]}]
    )
    assert not isinstance(one, CoreError)
    assert isinstance(other, SettingsError)
    batch = [
        ScoreMatrix(2, np.array([[1.0, 0.0]]), np.ones(1), attributes=np.ones((2, width)))
        for width in (1, 2)
    ]
    with pytest.raises(GroupError, match="different numbers of attributes"):
        Ordinal().fuse(batch)


def test_matrices_made_by_hand_are_checked_too():
    with pytest.raises(GroupError, match="infinite"):
        ScoreMatrix(1, np.array([[np.inf]]), np.ones(1))
    with pytest.raises(GroupError, match="not a finite number"):
        ScoreMatrix(1, np.ones((1, 1)), np.array([np.nan]))
    with pytest.raises(GroupError, match=r"attributes has the shape \(3,\)"):
        ScoreMatrix(1, np.ones((1, 1)), np.ones(1), attributes=np.ones(3))


def test_many_groups_are_fused_in_parts():
    group = {"aggregator": "ordinal", "scores": [[1, 0, 2], [0, 0, 1]], "weights": [1, 2]}
    made = fuse_all([group] * 20_000)
    assert len(made) == 20_000
    assert len({one.rewards for one in made}) == 1


def test_a_row_is_as_long_as_whatever_it_has_of_its_responses():
    alone = fuse({"aggregator": "hybrid", "global": [5, True]})
    assert alone.rewards == (0.5, 0.1)
    code = fuse({"aggregator": "hybrid", "checks": [[1, 0]], "settings": {"components": "R+C"}})
    assert code.rewards == (1.0, 0.0)
    opinion = fuse({"aggregator": "hybrid", "global": [5], "settings": {"components": "G"}})
    assert opinion.rewards == (0.5,)


def test_a_schedule_of_alpha_can_be_given_in_full():
    row = {"aggregator": "hybrid", "scores": [[1]], "global": [0]}
    schedule = {"kind": "linear", "decay": 100}
    made = fuse(row | {"settings": {"alpha": schedule, "step": 50}})
    assert made.rewards == pytest.approx([1 / 1.5])


def test_bucket_weights_that_are_all_0_score_nobody():
    row = {"aggregator": "bucketed", "scores": [[1]], "weights": [2], "buckets": ["safety"]}
    made = fuse(row | {"settings": {"coefficients": {"safety": 0, "general": 1}}})
    assert made.rewards == (None,)


def test_two_criteria_share_the_attributes_of_their_group():
    row = {
        "aggregator": "ordinal",
        "scores": [[3, 2, 1], [3, 2, 1]],
        "attributes": [[9], [5], [1]],
        "settings": {"lambda": 1, "pool": "group"},
    }
    both = fuse(row)
    assert both.rewards == pytest.approx(fuse(row | {"scores": [[3, 2, 1]]}).rewards)
