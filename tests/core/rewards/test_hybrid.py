"""The hybrid reward of whole groups, and why nobody gains by a lost verdict."""

import dataclasses
import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rubricstudio.core.errors import GroupError, SettingsError, SpecError
from rubricstudio.core.rewards import (
    AdvantageKind,
    AdvantageRule,
    AlphaSchedule,
    CheckerErrorKind,
    CheckerErrorRule,
    Flag,
    Group,
    Hybrid,
    HybridSettings,
    Member,
    MissingKind,
    MissingRule,
    PointsRule,
    Variant,
    aggregator_from_dict,
)
from rubricstudio.core.types import (
    CheckCause,
    CheckOutcome,
    CheckResult,
    Constraint,
    Criterion,
    FailureCause,
    Message,
    Polarity,
    Role,
    Scale,
    SpecValue,
    UnscoredReason,
    Verdict,
)

YES, PART, NO = Verdict.scored("yes", 1), Verdict.scored("part", 0.5), Verdict.scored("no", 0)
LOST = Verdict.failed(FailureCause.TIMEOUT)
PASSED = CheckOutcome(CheckResult.PASSED, CheckCause.OK, "as asked")
FAILED = CheckOutcome(CheckResult.FAILED, CheckCause.OK, "not as asked")
TIMED_OUT = CheckOutcome(CheckResult.UNAVAILABLE, CheckCause.TIMEOUT, "took too long")
REFUSED = CheckOutcome(CheckResult.UNAVAILABLE, CheckCause.REFUSED, "not checked")


def criteria(*weights, **fields):
    return tuple(
        Criterion(f"k{at}", f"Requirement {at}.", weight, **fields)
        for at, weight in enumerate(weights)
    )


def verdicts(*given_):
    return {f"k{at}": verdict for at, verdict in enumerate(given_) if verdict is not None}


def overall(raw):
    return Verdict.scored(str(raw), raw)


def member(name, *answers, checks=(), raw=None):
    return Member(
        name,
        verdicts(*answers),
        {f"c{at}": outcome for at, outcome in enumerate(checks)},
        None if raw is None else overall(raw),
    )


def rewards(members, *, weights=(1,), checkers=0, step=None, fields=None, **settings):
    keys = tuple(f"c{at}" for at in range(checkers))
    group = Group(criteria(*weights, **(fields or {})), keys, tuple(members))
    return Hybrid(HybridSettings(**settings)).aggregate(group, step=step)


def values(result):
    return [one.reward if one.reward is None else round(one.reward, 6) for one in result.members]


def missing(kind, **more):
    return MissingRule(kind, **more)


WORKED = member("a", YES, PART, YES, NO, checks=[PASSED, PASSED, FAILED], raw=7.5)


@pytest.mark.parametrize(
    ("settings", "step", "reward"),
    [
        ({}, None, 0.729798),
        ({"alpha": AlphaSchedule.constant(0.25)}, None, 0.723064),
        ({"alpha": AlphaSchedule.constant(0)}, None, 0.719697),
        ({"alpha": AlphaSchedule.linear()}, 600, 0.723064),
        ({"alpha": AlphaSchedule.linear()}, 900, 0.719697),
        ({"components": "R"}, None, 0.772727),
        ({"components": "G"}, None, 0.75),
        ({"components": "R+G"}, None, 0.761364),
        ({"components": "R+C"}, None, 0.719697),
        ({"components": "G+C"}, None, 0.708333),
    ],
)
def test_the_worked_example_under_every_variant(settings, step, reward):
    result = rewards([WORKED], weights=(5, 3, 2, 1), checkers=3, step=step, **settings)

    assert values(result) == [pytest.approx(reward, abs=2e-6)]


def test_without_checkers_the_rest_is_weighed_alone():
    worked = dataclasses.replace(WORKED, checks={})

    result = rewards([worked], weights=(5, 3, 2, 1))

    assert values(result) == [pytest.approx(0.761364, abs=2e-6)]


def test_without_checkers_global_and_code_is_the_global_score():
    result = rewards([member("a", YES, raw=4)], components="G+C")

    assert values(result) == [0.4]


def test_the_components_stand_beside_the_reward():
    result = rewards([WORKED], weights=(5, 3, 2, 1), checkers=3)

    (one,) = result.members
    assert one.components == {
        "rubric": pytest.approx(8.5 / 11),
        "code": pytest.approx(2 / 3),
        "global": 0.75,
    }
    assert (result.checkers, result.coverage, one.coverage, result.alpha) == (3, 1, 1, 1)
    assert result.flags == (Flag.SINGLE,)


# The two exploits of methods.md, section 0.


def exploit_of_unavailable_checkers(**settings):
    lo, hi = Verdict.scored("", 0.7), 7
    fails = member("fails", lo, checks=[FAILED], raw=hi)
    silent = member("silent", lo, checks=[TIMED_OUT], raw=hi)
    return rewards([fails, silent], checkers=1, **settings)


def test_a_rollout_whose_checker_is_silent_does_not_beat_one_that_fails_it():
    result = exploit_of_unavailable_checkers()

    # Renormalised for itself the silent one would get .700 against (.7 + 0 + .7) / 3 = .467.
    assert values(result) == [0.7, 0.7]
    assert (result.checkers, result.dropped) == (0, ("c0",))
    assert {Flag.ITEM_DROPPED, Flag.COMPONENT_DROPPED, Flag.ZERO_SIGNAL} == set(result.flags)


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"missing": missing("unscore_response")}, [0.466667, None]),
        ({"missing": missing("fail")}, [0.466667, 0.466667]),
        ({"missing": missing("reject", min_coverage=0.9)}, [None, None]),
        ({"missing": missing("reject", min_coverage=0.8)}, [0.7, 0.7]),
        ({"checker_error": CheckerErrorRule(CheckerErrorKind.FAIL)}, [0.466667, 0.466667]),
    ],
)
def test_no_setting_rewards_a_silent_checker(settings, expected):
    # Coverage is 5 of 6 cells, .833.
    assert values(exploit_of_unavailable_checkers(**settings)) == expected


def exploit_of_a_lost_verdict(**settings):
    answers = [YES, YES, YES, PART]
    fails = member("fails", *answers, NO)
    loses = member("loses", *answers, LOST)
    return rewards([fails, loses], weights=(5, 5, 4, 3, 3), components="R", **settings)


def test_a_rollout_does_not_gain_by_losing_a_failed_verdict():
    result = exploit_of_a_lost_verdict()

    # (5 + 5 + 4 + 1.5) / 20 = .775; without the lost criterion 15.5 / 17 = .912 for both.
    assert values(result) == [0.911765, 0.911765]
    assert result.dropped == ("k4",)


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"missing": missing("unscore_response")}, [0.775, None]),
        ({"missing": missing("fail")}, [0.775, 0.775]),
        ({"missing": missing("reject")}, [0.911765, 0.911765]),
        ({"missing": missing("reject", min_coverage=0.95)}, [None, None]),
    ],
)
def test_no_setting_rewards_a_lost_verdict(settings, expected):
    assert values(exploit_of_a_lost_verdict(**settings)) == expected


STATES = st.sampled_from([YES, PART, NO, LOST, Verdict.unscored(UnscoredReason.UNPARSABLE)])
CHECKS = st.sampled_from([PASSED, FAILED, TIMED_OUT])
ROLLOUTS = st.builds(
    lambda answers, checks, raw: (answers, checks, raw),
    st.tuples(STATES, STATES),
    st.tuples(CHECKS),
    st.none() | st.floats(0, 10),
)
GROUPS = st.lists(ROLLOUTS, min_size=1, max_size=5).map(
    lambda rollouts: [
        member(str(at), *answers, checks=checks, raw=raw)
        for at, (answers, checks, raw) in enumerate(rollouts)
    ]
)
RULES = st.sampled_from(list(MissingKind)).map(MissingRule)
VARIANTS = st.sampled_from(Variant)


@given(GROUPS, RULES, VARIANTS)
def test_rewards_lie_in_the_unit_interval_or_have_a_reason(members, rule, variant):
    result = rewards(members, weights=(2, 1), checkers=1, missing=rule, components=variant)

    for one in result.members:
        assert (one.reward is None) == (one.reason is not None)
        assert one.reward is None or 0 <= one.reward <= 1
        assert (one.advantage is None) == (one.reward is None)


@given(GROUPS, RULES, VARIANTS)
def test_all_scored_rollouts_have_the_same_components(members, rule, variant):
    result = rewards(members, weights=(2, 1), checkers=1, missing=rule, components=variant)

    shapes = {
        tuple(value is None for value in one.components.values())
        for one in result.members
        if one.reward is not None
    }
    assert len(shapes) <= 1


@given(GROUPS, RULES, st.randoms())
def test_permuting_rollouts_permutes_rewards_to_the_last_bit(members, rule, random):
    mixed = members.copy()
    random.shuffle(mixed)

    first = rewards(members, weights=(2, 1), checkers=1, missing=rule)
    second = rewards(mixed, weights=(2, 1), checkers=1, missing=rule)

    by_id = {one.rollout_id: one for one in second.members}
    assert [by_id[one.rollout_id] for one in first.members] == list(first.members)


@given(GROUPS, st.integers(0, 4), st.sampled_from([0, 1]))
def test_losing_a_failed_verdict_never_lifts_a_rollout_over_its_siblings(members, at, criterion):
    at %= len(members)
    failing = dataclasses.replace(
        members[at], verdicts={**members[at].verdicts, f"k{criterion}": NO}
    )
    losing = dataclasses.replace(
        members[at], verdicts={**members[at].verdicts, f"k{criterion}": LOST}
    )
    rule = missing("fail")

    before = rewards(
        [*members[:at], failing, *members[at + 1 :]], weights=(2, 1), missing=rule, checkers=1
    )
    after = rewards(
        [*members[:at], losing, *members[at + 1 :]], weights=(2, 1), missing=rule, checkers=1
    )

    assert values(after) == values(before)


@given(GROUPS)
def test_equal_verdicts_get_equal_rewards(members):
    twin = dataclasses.replace(members[0], rollout_id="twin")

    result = rewards([*members, twin], weights=(2, 1), checkers=1)

    assert result.members[0].reward == result.members[-1].reward


def test_a_missing_verdict_fails_a_negative_criterion_too():
    present = {"polarity": Polarity.NEGATIVE}

    result = rewards(
        [member("has", YES), member("lost", LOST), member("hasn't", NO)],
        fields=present,
        components="R",
        missing=missing("fail"),
    )

    assert values(result) == [0, 0, 1]


def test_a_missing_verdict_on_points_to_lose_loses_them():
    group = Group(
        (
            Criterion("good", "Asks back.", 10, scale=Scale.POINTS),
            Criterion("bad", "Guesses.", 4, Polarity.NEGATIVE, Scale.POINTS),
        ),
        (),
        (
            Member("clean", {"good": YES, "bad": NO}),
            Member("guesses", {"good": YES, "bad": YES}),
            Member("lost", {"good": YES, "bad": LOST}),
        ),
    )
    settings = HybridSettings(components=Variant.R, missing=missing("fail"))

    # 10 / 10, (10 - 4) / 10, and as if it guessed.
    assert values(Hybrid(settings).aggregate(group)) == [1, 0.6, 0.6]


@pytest.mark.parametrize(("clip", "expected"), [(True, [0, 0]), (False, [-2, -1])])
def test_points_below_zero_are_clipped_unless_asked_not_to(clip, expected):
    group = Group(
        (
            Criterion("good", "Asks back.", 1, scale=Scale.POINTS),
            Criterion("bad", "Guesses.", 2, Polarity.NEGATIVE, Scale.POINTS),
        ),
        (),
        (Member("a", {"good": NO, "bad": YES}), Member("b", {"good": YES, "bad": YES})),
    )
    settings = HybridSettings(components=Variant.R, points=PointsRule(clip=clip))

    assert values(Hybrid(settings).aggregate(group)) == expected


@pytest.mark.parametrize(
    ("scale", "levels", "bounds", "score", "reward"),
    [
        (Scale.LEVELS, 5, (None, None), 0.25, 0.25),
        (Scale.GLOBAL, None, (None, None), 2.5, 0.25),
        (Scale.BINARY, None, (-1, 3), 0, 0.25),
    ],
)
def test_a_score_is_put_on_the_unit_interval_by_its_range(scale, levels, bounds, score, reward):
    fields = {"scale": scale, "levels": levels, "lo": bounds[0], "hi": bounds[1]}

    result = rewards([member("a", Verdict.scored("", score))], fields=fields, components="R")

    assert values(result) == [reward]


def test_a_score_off_its_scale_is_missing_and_never_rescaled():
    result = rewards([member("a", YES, raw=11.2), member("b", YES, raw=7)])

    assert values(result) == [1, 1]
    assert set(result.flags) == {
        Flag.OFF_SCALE,
        Flag.ITEM_DROPPED,
        Flag.COMPONENT_DROPPED,
        Flag.ZERO_SIGNAL,
    }


def test_an_error_of_a_checker_counts_as_failed_only_when_asked_and_is_counted_apart():
    members = [member("a", checks=[TIMED_OUT]), member("b", checks=[PASSED])]

    result = rewards(
        members, weights=(), checkers=1, checker_error=CheckerErrorRule(CheckerErrorKind.FAIL)
    )

    assert values(dataclasses.replace(result)) == [0, 1]
    assert (result.errors_as_fails, Flag.ERROR_AS_FAIL in result.flags) == (1, True)


@pytest.mark.parametrize("kind", MissingKind)
def test_a_refused_checker_counts_for_nobody_and_is_no_gap(kind):
    members = [
        member("a", YES, checks=[REFUSED, PASSED], raw=5),
        member("b", NO, checks=[REFUSED, PASSED], raw=5),
    ]

    result = rewards(members, checkers=2, missing=missing(kind))

    # (1 + 1 + .5) / 3 and (0 + 1 + .5) / 3
    assert values(result) == [0.833333, 0.5]
    assert (result.checkers, result.coverage, result.dropped) == (1, 1, ("c0",))
    assert result.flags == (Flag.CHECKER_REFUSED,)


def test_coverage_is_the_share_of_cells_with_a_value():
    members = [member("a", YES, LOST, raw=5), member("b", YES, NO)]

    result = rewards(members, weights=(1, 1))

    assert [one.coverage for one in result.members] == pytest.approx([2 / 3, 2 / 3])
    assert result.coverage == pytest.approx(2 / 3)
    assert result.dropped == ("k1", "GLOBAL")


@pytest.mark.parametrize("kind", [MissingKind.DROP_ITEM_FOR_GROUP, MissingKind.UNSCORE_RESPONSE])
def test_a_group_with_nothing_scored_has_no_rewards(kind):
    result = rewards([member("a", LOST), member("b", LOST)], missing=missing(kind))

    assert values(result) == [None, None]
    assert result.coverage == 0
    reason = {"drop_item_for_group": "nothing_scored", "unscore_response": "missing_item"}[kind]
    assert {one.reason for one in result.members} == {reason}


def test_a_spec_with_nothing_that_is_asked_for_has_no_rewards():
    result = rewards([member("a", raw=5)], weights=(), components="R+C")

    assert (values(result), result.coverage, result.flags) == ([None], 0, (Flag.NOTHING_SCORED,))


def test_an_empty_group_has_no_rewards():
    result = rewards([])

    assert (result.members, result.coverage, result.flags) == ((), 0, ())


def test_the_global_score_alone_with_alpha_zero_is_no_reward():
    result = rewards(
        [member("a", raw=5)], weights=(), components="G", alpha=AlphaSchedule.constant(0)
    )

    assert (values(result), result.flags) == ([None], (Flag.NO_WEIGHT,))


def test_one_rollout_has_advantage_zero():
    (one,) = rewards([member("a", YES, raw=5)]).members

    assert (one.reward, one.advantage) == (0.75, 0)


def test_all_ties_are_flagged_as_no_signal():
    result = rewards([member("a", YES, raw=5), member("b", YES, raw=5)])

    assert [one.advantage for one in result.members] == [0, 0]
    assert result.flags == (Flag.ZERO_SIGNAL,)


def test_advantages_follow_their_rule():
    members = [member("a", NO), member("b", YES)]

    result = rewards(members, components="R", advantage=AdvantageRule(scale=2))

    assert [one.advantage for one in result.members] == [-1, 1]


def test_repeats_become_one_verdict_and_their_spread_is_kept():
    members = [member("a", (YES, PART, NO)), member("b", (YES, YES, LOST))]

    result = rewards(members, components="R")

    assert values(result) == [0.5, 1]
    assert result.spread == {"k0": {"a": 0.5, "b": 0}}


def test_a_repeat_off_its_scale_takes_no_part():
    off = Verdict.scored("2", 2)

    result = rewards([member("a", (YES, off)), member("b", (off, off))], components="R")

    assert (values(result), result.flags[-1]) == ([None, None], Flag.NOTHING_SCORED)
    assert Flag.OFF_SCALE in result.flags


@pytest.mark.parametrize("verdict", [YES, LOST, Verdict.scored("10", 10.0)])
def test_a_single_sample_counts_as_the_verdict_that_it_is(verdict):
    one, sampled = (rewards([member("a", said)]) for said in (verdict, (verdict,)))

    assert one == sampled


def test_a_changing_schedule_needs_the_step():
    with pytest.raises(SettingsError, match="needs the step"):
        rewards([member("a", YES)], alpha=AlphaSchedule.linear())


@pytest.mark.parametrize(
    ("members", "sentence"),
    [
        ([Member("a"), Member("a")], "the rollout 'a' stands 2 times"),
        ([Member("a", judge="x"), Member("b", judge="y")], "a group has one judge, got 2: x, y"),
        ([Member("a", {"k9": YES})], "'a' has an answer to 'k9'"),
        ([Member("a", checks={"c9": PASSED})], "'a' has an answer to 'c9'"),
    ],
)
def test_what_is_no_group_is_refused_with_a_sentence(members, sentence):
    with pytest.raises(GroupError, match=sentence):
        Group(criteria(1), (), members)


PROMPT = (Message(Role.USER, "Hi"),)
CRITERION = Criterion("a", "Greets.")
BAD = Criterion("b", "Insults.", polarity=Polarity.NEGATIVE)
BAD_POINTS = Criterion("c", "Lies.", polarity=Polarity.NEGATIVE, scale=Scale.POINTS)
PAIRWISE = Criterion("d", "Warmer.", scale=Scale.PAIRWISE)


@pytest.mark.parametrize(
    ("spec", "settings", "sentence"),
    [
        ({"criteria": [BAD, BAD_POINTS]}, {}, "negative criteria in points and negative"),
        ({"criteria": [PAIRWISE]}, {}, "compares two rollouts"),
        ({"criteria": [BAD_POINTS]}, {}, "the rubric has no points to earn"),
        ({"criteria": [CRITERION]}, {"components": "R+C"}, None),
        ({"criteria": [BAD]}, {}, None),
        ({}, {"components": "R+C"}, "the spec has nothing of the components R"),
        ({}, {"components": "G", "alpha": AlphaSchedule.constant(0)}, "only the global score"),
        (
            {"criteria": [CRITERION]},
            {"components": "G", "alpha": AlphaSchedule.linear()},
            "alpha is 0 or becomes 0",
        ),
        ({"constraints": [Constraint("json")]}, {"alpha": AlphaSchedule.linear()}, None),
        ({}, {"components": "G"}, None),
    ],
)
def test_a_spec_that_could_never_be_rewarded_is_told_before_it_is_frozen(spec, settings, sentence):
    problems = Hybrid(HybridSettings(**settings)).problems(SpecValue("p", PROMPT, **spec))

    assert [sentence is not None and sentence in problem for problem in problems] == (
        [True] if sentence else []
    )


@pytest.mark.parametrize("rubric", [(BAD, BAD_POINTS), (PAIRWISE,)])
def test_a_rubric_that_cannot_be_read_is_refused(rubric):
    with pytest.raises(SpecError):
        Hybrid().aggregate(Group(rubric, (), (Member("a"),)))


SETTINGS = HybridSettings(
    components=Variant.RC,
    alpha=AlphaSchedule.stepped([(10, 0.5), (20, 0.0)]),
    advantage=AdvantageRule(AdvantageKind.STD, eps=1e-6),
    missing=missing("reject", min_coverage=0.5),
    checker_error=CheckerErrorRule(CheckerErrorKind.FAIL),
    points=PointsRule(clip=False),
)


@pytest.mark.parametrize("settings", [HybridSettings(), SETTINGS])
def test_settings_read_back_from_json(settings):
    written = json.loads(json.dumps(settings.to_dict()))

    assert HybridSettings.from_dict(written) == settings
    assert aggregator_from_dict(written) == Hybrid(settings)


def test_every_choice_is_written_out_with_a_version():
    written = Hybrid().to_dict()

    choices = [value for value in written.values() if isinstance(value, dict)]
    assert len(choices) == 6
    assert all({"kind", "version"} <= set(choice) for choice in choices)
    assert (written["aggregator"], written["version"]) == ("hybrid", 1)


def test_an_aggregator_says_its_name_and_whether_it_needs_a_step():
    aggregator = Hybrid(HybridSettings(alpha=AlphaSchedule.linear()))

    assert (aggregator.name, aggregator.needs_step) == ("hybrid", True)


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        ({"aggregator": "ordinal"}, "these are settings of"),
        ({"version": 2}, "these are settings of"),
        ({"gamma": 1}, "the hybrid reward has no setting 'gamma'"),
        ({"components": "X"}, "the setting components is 'X'; it has to be one of G, R"),
        ({"alpha": {"version": 9}}, "the setting alpha has the version 9, and this code knows 1"),
        ({"alpha": {"speed": 1}}, "the setting alpha has no 'speed'"),
        ({"alpha": {"kind": "step", "steps": [1]}}, "the setting alpha cannot be read"),
        ({"missing": {"kind": "guess"}}, "the kind of missing is 'guess'"),
        ({"missing": {"min_coverage": 2}}, "the minimum coverage is 2; it has to be 0 or more"),
        ({"points": {"clip": 1}}, "clip is 1; it has to be true or false"),
        ({"points": {"kind": "all"}}, "the kind of points is 'all'"),
    ],
)
def test_wrong_settings_are_refused_with_a_sentence(data, sentence):
    with pytest.raises(SettingsError, match=sentence):
        HybridSettings.from_dict(data)


@pytest.mark.parametrize("name", ["ordinal", None, 3])
def test_an_unknown_aggregator_is_refused_with_those_that_are_known(name):
    with pytest.raises(SettingsError, match="is unknown; known are hybrid"):
        aggregator_from_dict({"aggregator": name})


def test_a_reward_is_the_same_to_the_last_bit_however_often_it_is_computed():
    members = [member(str(at), YES, PART, NO, raw=at / 3) for at in range(8)]

    first = rewards(members, weights=(0.1, 0.2, 0.3))

    assert rewards(members, weights=(0.1, 0.2, 0.3)) == first
    assert not any(math.isnan(one.reward) for one in first.members)
