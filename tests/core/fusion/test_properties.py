"""Every rule against its second, plain implementation, and the invariances of the methods."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rubricstudio.core.fusion.pairwise import Judged, PairRule, pair_score
from rubricstudio.testing import fusion as plain
from tests.core.fusion.fusing import fuse, fuse_all

UNIT = st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0])
WEIGHT = st.integers(1, 5).map(float)


@st.composite
def groups(draw, most=5):
    size, criteria = draw(st.integers(1, most)), draw(st.integers(1, 4))
    row = st.lists(UNIT, min_size=size, max_size=size)
    scores = draw(st.lists(row, min_size=criteria, max_size=criteria))
    weights = draw(st.lists(WEIGHT, min_size=criteria, max_size=criteria))
    return scores, weights


def rewards(aggregator, scores, weights, **more):
    row = {"aggregator": aggregator, "scores": scores, "weights": weights, **more}
    return list(fuse(row).rewards)


def near(values):
    return pytest.approx(values, abs=1e-9)


@settings(max_examples=60, deadline=None)
@given(groups())
def test_the_simple_rules_are_their_plain_selves(group):
    scores, weights = group
    assert rewards("weighted_sum", scores, weights) == near(plain.weighted_sum(scores, weights))
    assert rewards("uniform", scores, weights) == near(plain.uniform(scores))
    assert rewards("zscore", scores, weights) == near(plain.zscore(scores, weights))
    assert rewards("focal", scores, weights) == near(plain.focal(scores, weights))
    assert rewards("hybrid", scores, weights) == near(plain.hybrid(scores, weights, [], None))


@settings(max_examples=40, deadline=None)
@given(groups(), st.lists(st.booleans(), min_size=4, max_size=4))
def test_signed_points_are_their_plain_self(group, negative):
    scores, weights = group
    signed = [-w if flip else w for w, flip in zip(weights[1:], negative, strict=False)]
    signed = [weights[0], *signed]
    assert rewards("points", scores, signed) == near(plain.points(scores, signed))


@settings(max_examples=40, deadline=None)
@given(groups(), st.data())
def test_gates_buckets_and_prerequisites_are_their_plain_selves(group, data):
    scores, weights = group
    coefficients = {"composition": 0.5, "accuracy": 0.3, "safety": 0.1, "general": 0.1}
    bucket = st.sampled_from(list(coefficients))
    buckets = data.draw(st.lists(bucket, min_size=len(scores), max_size=len(scores)))
    assert rewards("bucketed", scores, weights, buckets=buckets) == near(
        plain.bucketed(scores, weights, buckets, coefficients)
    )
    kinds = st.sampled_from(list(plain.LEAKS))
    edges = [[k, k + 1, data.draw(kinds)] for k in range(len(scores) - 1)]
    for mode in ("dag", "flat", "hard"):
        made = rewards("gear", scores, weights, edges=edges, settings={"mode": mode})
        assert made == near(plain.gear(scores, weights, [tuple(one) for one in edges], mode))
    if len(scores) > 1:
        assert rewards("gated", scores, weights, rules=[0]) == near(
            plain.gated(scores, weights, [0])
        )


@settings(max_examples=40, deadline=None)
@given(groups(), st.data())
def test_the_hybrid_with_everything_is_its_plain_self(group, data):
    scores, weights = group
    size = len(scores[0])
    check = st.lists(st.sampled_from([0.0, 1.0]), min_size=size, max_size=size)
    checks = data.draw(st.lists(check, min_size=1, max_size=3))
    overall = data.draw(st.lists(st.floats(-1, 11), min_size=size, max_size=size))
    alpha = data.draw(st.sampled_from([0.0, 0.5, 1.0, 3.0]))
    made = rewards(
        "hybrid", scores, weights, checks=checks, settings={"alpha": alpha}, **{"global": overall}
    )
    assert made == near(plain.hybrid(scores, weights, checks, overall, alpha))


@settings(max_examples=25, deadline=None)
@given(groups(most=5), st.sampled_from([0.0, 0.3]))
def test_the_ordinal_rule_is_its_plain_self(group, margin):
    scores, weights = group
    made = rewards("ordinal", scores, weights, settings={"tie_margin": margin})
    assert made == pytest.approx(plain.ordinal(scores, weights, 1.0, margin)[0], abs=1e-8)


@settings(max_examples=25, deadline=None)
@given(groups(most=4), st.data())
def test_the_gate_is_its_plain_self(group, data):
    scores, weights = group
    size = len(scores[0])
    levels = data.draw(st.lists(st.integers(0, 2), min_size=size, max_size=size))
    before = rewards("ordinal", scores, weights)
    critical = [{"criterion": 0, "levels": levels}]
    assert rewards("ordinal", scores, weights, critical=critical) == near(
        plain.gate(before, levels)
    )


@settings(max_examples=25, deadline=None)
@given(st.lists(groups(most=4), min_size=1, max_size=4))
def test_a_batch_of_gdpo_is_its_plain_self(batch):
    made = fuse_all([{"aggregator": "gdpo", "scores": s, "weights": w} for s, w in batch])
    sums, gains = plain.gdpo(batch)
    assert [list(one.rewards) for one in made] == [near(one) for one in sums]
    assert [list(one.advantages) for one in made] == [near(one) for one in gains]


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from(list(plain.WEIGHTS)), st.integers(-2, 2)), min_size=1),
    st.sampled_from(list(PairRule)),
)
def test_the_score_of_a_comparison_is_its_plain_self(judged, rule):
    ours = pair_score([Judged(tier, float(score)) for tier, score in judged], rule)
    assert ours == near(plain.pair_score(judged, rule.value))


@settings(max_examples=60, deadline=None)
@given(groups())
def test_a_rising_map_of_a_criterion_changes_no_bit_of_the_ordinal_reward(group):
    scores, weights = group
    mapped = [[value**3 * 100 - 7 for value in row] for row in scores]
    assert rewards("ordinal", scores, weights) == rewards("ordinal", mapped, weights)


@settings(max_examples=60, deadline=None)
@given(groups(), st.randoms())
def test_ordinal_rewards_sum_to_0_and_move_with_their_responses(group, chance):
    scores, weights = group
    made = rewards("ordinal", scores, weights)
    assert sum(made) == pytest.approx(0, abs=1e-12)
    order = list(range(len(made)))
    chance.shuffle(order)
    moved = rewards("ordinal", [[row[i] for i in order] for row in scores], weights)
    assert moved == [made[i] for i in order]


@settings(max_examples=60, deadline=None)
@given(groups())
def test_the_scale_of_all_weights_does_not_matter_to_normalised_rules(group):
    scores, weights = group
    for rule in ("ordinal", "weighted_sum", "zscore", "focal"):
        scaled = rewards(rule, scores, [7.0 * weight for weight in weights])
        assert scaled == near(rewards(rule, scores, weights))


def test_the_transform_that_turns_cardinal_rules_leaves_the_ordinal_one():
    scores = [[0.1, 0.8, 0.7, 0.8], [0.2, 0.8, 0.2, 0.1]]
    cubed = [scores[0], [value**3 for value in scores[1]]]
    expected = pytest.approx([-0.396061, 0.658998, -0.128937, -0.134000], abs=2e-6)
    assert rewards("ordinal", scores, [1, 1]) == expected
    assert rewards("ordinal", scores, [1, 1]) == rewards("ordinal", cubed, [1, 1])
    before, after = (rewards("weighted_sum", one, [1, 1]) for one in (scores, cubed))
    signs = [
        [(value > sum(row) / 4) - (value < sum(row) / 4) for value in row]
        for row in (before, after)
    ]
    assert sum(a == b for a, b in zip(*signs, strict=True)) / 4 == 0.75
