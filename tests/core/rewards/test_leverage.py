"""What hangs on one item of a group: orders changed without it, inversions, its cost."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rubricstudio.core.rewards import (
    GLOBAL_KEY,
    CheckerErrorRule,
    Component,
    Group,
    Hybrid,
    HybridSettings,
    Member,
    MissingKind,
    MissingRule,
    Variant,
    contributions,
    cost,
    inversions,
    leverage,
    pairs,
)
from rubricstudio.core.rewards.cells import read_items
from rubricstudio.core.rewards.hybrid import combine
from rubricstudio.core.types import (
    CheckCause,
    CheckOutcome,
    CheckResult,
    Criterion,
    FailureCause,
    Polarity,
    Verdict,
)

SCORES = {"yes": 1.0, "part": 0.5, "no": 0.0}
LOST = Verdict.failed(FailureCause.TIMEOUT)
PASSED = CheckOutcome(CheckResult.PASSED, CheckCause.OK, "")
FAILED = CheckOutcome(CheckResult.FAILED, CheckCause.OK, "")


def said(answer):
    return LOST if answer == "lost" else Verdict.scored(answer, SCORES[answer])


def group(*rows, weights, checks=(), overall=()):
    """A row of answers a member; `checks` and `overall` are by member."""
    members = tuple(
        Member(
            f"r{at}",
            {f"k{place}": said(answer) for place, answer in enumerate(row)},
            {"1:length": (PASSED if checks[at] else FAILED)} if checks else {},
            Verdict.scored("", overall[at]) if overall else None,
        )
        for at, row in enumerate(rows)
    )
    criteria = tuple(Criterion(f"k{at}", "It is so.", one) for at, one in enumerate(weights))
    return Group(criteria, ("1:length",) if checks else (), members)


def leverage_of(some, **settings):
    aggregator = Hybrid(HybridSettings(**{"components": Variant.RGC, **settings}))
    before = [one.reward for one in aggregator.aggregate(some).members]
    keys = [*(one.key for one in some.criteria), *some.checkers]
    return leverage(aggregator, some, keys, before=before)


def test_the_orders_that_change_without_an_item_are_counted():
    some = group(("yes", "no"), ("no", "yes"), ("no", "no"), weights=(3, 1))

    found = leverage_of(some)

    # .75, .25, 0 -> without k0: 0, 1, 0: only r1 over r2 stays
    assert found["k0"].rewards == (0, 1, 0)
    assert found["k0"].changed == 2
    # without k1: 1, 0, 0: r1 and r2 become equal
    assert found["k1"].changed == 1


def test_an_item_that_all_answer_alike_changes_no_order():
    assert leverage_of(group(("yes", "no"), ("yes", "yes"), weights=(1, 1)))["k0"].changed == 0


def test_a_checker_and_the_global_score_can_be_dropped_too():
    some = group(("yes",), ("no",), weights=(1,), checks=(False, True), overall=(2, 9))

    aggregator = Hybrid()
    before = [one.reward for one in aggregator.aggregate(some).members]
    found = leverage(aggregator, some, ["1:length", GLOBAL_KEY], before=before)

    # (1 + 0 + .2) / 3 = .4 and (0 + 1 + .9) / 3; without the checker .6 and .45
    assert found["1:length"].rewards == pytest.approx((0.6, 0.45))
    assert found["1:length"].changed == 1
    assert found[GLOBAL_KEY].rewards == pytest.approx((0.5, 0.5))


def test_without_the_only_item_there_is_no_order_to_tell():
    assert leverage_of(group(("yes",), ("no",), weights=(1,)))["k0"].changed is None


def test_members_without_a_reward_take_no_part():
    some = group(("yes", "no"), ("lost", "yes"), ("no", "yes"), weights=(1, 3))
    rule = MissingRule(MissingKind.UNSCORE_RESPONSE)

    found = leverage_of(some, components=Variant.R, missing=rule)

    assert found["k1"].changed == 1
    assert pairs([0.3, None, 0.4]) == 1


def test_dropping_an_item_that_one_member_lacks_changes_nothing():
    """It counts for nobody already."""
    some = group(("yes", "no"), ("lost", "yes"), weights=(5, 1))

    assert leverage_of(some)["k0"].changed == 0


def test_who_fails_a_hard_item_above_others_is_an_inversion():
    some = group(("yes", "no"), ("part", "yes"), ("no", "part"), ("no", "no"), weights=(9, 1))
    hard = read_items(some, frozenset({Component.RUBRIC}), CheckerErrorRule())[1:]
    rewards = [one.reward for one in Hybrid().aggregate(some).members]

    (found,) = inversions(hard, rewards)

    assert (found.key, found.at, found.over) == ("k1", 0, (1, 2))


def test_an_equal_reward_is_no_inversion():
    some = group(("yes", "no"), ("no", "yes"), weights=(1, 1))
    items = read_items(some, frozenset({Component.RUBRIC}), CheckerErrorRule())

    assert inversions(items, [0.5, 0.5]) == ()


def test_a_cell_costs_what_the_best_answer_would_add():
    some = group(("no", "yes"), ("yes", "yes"), weights=(1, 3), checks=(False, True))

    # (3/4 + 0) / 2 -> (1 + 0) / 2
    assert cost(Hybrid(), some, "k0", 0) == pytest.approx(0.125)
    assert cost(Hybrid(), some, "1:length", 0) == pytest.approx(0.5)
    assert cost(Hybrid(), some, "k0", 1) == 0


def test_the_best_answer_to_something_undesirable_is_no():
    criteria = (Criterion("bad", "It lies.", 1, polarity=Polarity.NEGATIVE),)
    some = Group(criteria, (), (Member("r0", {"bad": said("yes")}),))

    assert cost(Hybrid(), some, "bad", 0) == 1


@given(
    st.dictionaries(st.sampled_from(list(Component)), st.none() | st.floats(0, 1)), st.floats(0, 4)
)
def test_the_contributions_sum_to_the_reward(components, alpha):
    reward = combine(components, alpha)
    parts = contributions(components, alpha)

    assert sum(parts.values()) == pytest.approx(reward or 0)
    assert bool(parts) == (reward is not None)
