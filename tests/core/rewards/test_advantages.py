from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rubricstudio.core.errors import SettingsError
from rubricstudio.core.rewards import AdvantageKind, AdvantageRule, advantages

REWARDS = st.lists(st.none() | st.floats(0, 1), max_size=16)
RULES = st.builds(AdvantageRule, kind=st.sampled_from(AdvantageKind))


@pytest.mark.parametrize(
    ("kind", "rewards", "expected"),
    [
        ("center_scale", [0.2, 0.5, 0.8, 0.9], [-2.4, -0.6, 1.2, 1.8]),
        ("center_scale", [0, 0.5, 1], [-3, 0, 3]),
        ("center_scale", [0.45, 0.5, 0.55], [-0.3, 0, 0.3]),
        ("std", [0, 0.5, 1], [-0.9998, 0, 0.9998]),
        ("std", [0.45, 0.5, 0.55], [-0.998004, 0, 0.998004]),
        ("plain", [0.45, 0.5, 0.55], [-0.05, 0, 0.05]),
    ],
)
def test_advantages_are_deviations_from_the_mean(kind, rewards, expected):
    found = advantages(rewards, AdvantageRule(kind))

    assert found.values == pytest.approx(expected, abs=2e-6)


def test_a_spread_out_group_keeps_its_size_only_without_division():
    wide, narrow = [0, 0.5, 1], [0.45, 0.5, 0.55]

    def best(group, kind):
        return advantages(group, AdvantageRule(kind)).values[2]

    scaled, divided = AdvantageKind.CENTER_SCALE, AdvantageKind.STD
    assert best(wide, scaled) / best(narrow, scaled) == pytest.approx(10)
    assert best(wide, divided) / best(narrow, divided) == pytest.approx(1, abs=0.002)


@pytest.mark.parametrize("kind", AdvantageKind)
@pytest.mark.parametrize(
    ("rewards", "values", "zero_signal"),
    [
        ([], (), False),
        ([0.4], (0,), False),
        ([0.4, None], (0, None), False),
        ([0.1 + 0.2, 0.3], (0, 0), True),
        ([None, None], (None, None), False),
    ],
)
def test_one_reward_or_equal_rewards_have_no_advantage(kind, rewards, values, zero_signal):
    assert advantages(rewards, AdvantageRule(kind)) == (values, zero_signal)


@given(REWARDS, RULES)
def test_advantages_sum_to_zero_over_the_scored(rewards, rule):
    found = advantages(rewards, rule).values

    assert sum(value for value in found if value is not None) == pytest.approx(0, abs=1e-6)
    assert [value is None for value in found] == [reward is None for reward in rewards]


@given(REWARDS, RULES)
def test_a_higher_reward_never_has_a_lower_advantage(rewards, rule):
    found = advantages(rewards, rule).values
    pairs = sorted(
        (reward, value) for reward, value in zip(rewards, found, strict=True) if reward is not None
    )

    ordered = [value for _, value in pairs if value is not None]
    assert all(first <= second + 1e-12 for first, second in pairwise(ordered))


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"kind": "rank"}, "the kind of advantage is 'rank'; it has to be one of center_scale"),
        ({"scale": -1}, "the scale is -1; it has to be 0 or more"),
        ({"ddof": 2}, "ddof is 2; it has to be 0 or more and 1 at most"),
        ({"eps": True}, "eps is True"),
        ({"tie": float("nan")}, "tie is nan"),
    ],
)
def test_a_wrong_rule_is_refused_with_a_sentence(changes, sentence):
    with pytest.raises(SettingsError, match=sentence):
        AdvantageRule(**changes)
