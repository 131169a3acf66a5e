"""A reward is the sum of what its items add, and each part can be followed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rubricstudio.core.rewards import (
    GLOBAL_KEY,
    AlphaSchedule,
    Component,
    Group,
    Hybrid,
    HybridSettings,
    Member,
    MissingKind,
    MissingRule,
    Variant,
    break_down,
)
from rubricstudio.core.types import (
    CheckCause,
    CheckOutcome,
    CheckResult,
    Criterion,
    Polarity,
    Scale,
    UnscoredReason,
    Verdict,
)

SCORES = {"yes": 1.0, "part": 0.5, "no": 0.0}
LOST = Verdict.unscored(UnscoredReason.REFUSED)
OUTCOMES = {
    True: CheckOutcome(CheckResult.PASSED, CheckCause.OK, ""),
    False: CheckOutcome(CheckResult.FAILED, CheckCause.OK, ""),
}


def said(answer):
    return LOST if answer == "lost" else Verdict.scored(answer, SCORES[answer])


def member(name, answers, *checks, overall=None):
    return Member(
        name,
        {f"k{at}": said(answer) for at, answer in enumerate(answers)},
        {f"c{at}": OUTCOMES[passed] for at, passed in enumerate(checks)},
        None if overall is None else Verdict.scored("", overall),
    )


def rubric(*weights, **values):
    return tuple(Criterion(f"k{at}", "It is so.", one, **values) for at, one in enumerate(weights))


def shares(found):
    return {item.key: item.share for item in found.items}


def test_each_item_adds_its_weight_times_its_value():
    group = Group(rubric(3, 1), ("c0",), (member("a", ["yes", "part"], False, overall=8),))

    found = break_down(Hybrid(), group, 0)

    # (3.5 / 4 + 0 + 0.8) / 3
    assert found.reward == pytest.approx((0.875 + 0 + 0.8) / 3)
    assert shares(found) == {
        "k0": pytest.approx(3 / 4 / 3),
        "k1": pytest.approx(0.5 / 4 / 3),
        "c0": 0.0,
        GLOBAL_KEY: pytest.approx(0.8 / 3),
    }
    assert [(one.component, one.earned, one.possible) for one in found.components] == [
        (Component.RUBRIC, 3.5, 4),
        (Component.CODE, 0, 1),
        (Component.GLOBAL, 0.8, 1),
    ]


def test_what_a_sibling_lacks_counts_for_nobody_and_says_so():
    group = Group(rubric(3, 1), (), (member("a", ["yes", "yes"]), member("b", ["yes", "lost"])))

    found = break_down(Hybrid(HybridSettings(components=Variant.R)), group, 0)

    assert found.reward == 1.0
    assert [(item.value, item.share, item.counts) for item in found.items] == [
        (1.0, 1.0, True),
        (1.0, None, False),
    ]


def test_a_rollout_without_a_reward_has_items_that_add_nothing():
    rule = MissingRule(MissingKind.UNSCORE_RESPONSE)
    group = Group(rubric(3, 1), (), (member("a", ["yes", "lost"]),))

    found = break_down(Hybrid(HybridSettings(missing=rule)), group, 0)

    assert found.reward is None
    assert set(shares(found).values()) == {None}
    assert [item.value for item in found.items] == [1.0, None, None]


def test_points_that_are_cut_off_are_told():
    criteria = (
        Criterion("k0", "Helps.", 2, scale=Scale.POINTS),
        Criterion("k1", "Harms.", 8, scale=Scale.POINTS, polarity=Polarity.NEGATIVE),
    )
    group = Group(criteria, (), (member("a", ["yes", "yes"]), member("b", ["yes", "no"])))
    hybrid = Hybrid(HybridSettings(components=Variant.R))

    (cut,), (whole,) = (break_down(hybrid, group, at).components for at in (0, 1))

    assert (cut.score, cut.earned, cut.is_cut_off) == (0.0, -6, True)
    assert (whole.score, whole.earned, whole.is_cut_off) == (1.0, 2, False)


ANSWERS = st.sampled_from(["yes", "part", "no", "lost"])


@given(
    rows=st.lists(
        st.tuples(ANSWERS, ANSWERS, ANSWERS, st.booleans(), st.floats(0, 10)),
        min_size=1,
        max_size=4,
    ),
    variant=st.sampled_from(Variant),
    alpha=st.floats(0, 5),
)
def test_the_shares_sum_to_the_reward_that_was_computed(rows, variant, alpha):
    members = tuple(
        member(f"r{at}", row[:3], row[3], overall=row[4]) for at, row in enumerate(rows)
    )
    group = Group(rubric(1, 2, 3), ("c0",), members)
    hybrid = Hybrid(HybridSettings(components=variant, alpha=AlphaSchedule.constant(alpha)))

    for at, computed in enumerate(hybrid.aggregate(group).members):
        found = break_down(hybrid, group, at)
        assert found.reward == computed.reward
        if found.reward is not None:
            total = sum(share for share in shares(found).values() if share is not None)
            assert total == pytest.approx(found.reward)
