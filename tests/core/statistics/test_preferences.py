"""Win, tie, lose: the rules of both papers as tables, majorities, position bias."""

import json
from collections import Counter

import pytest

from rubricstudio.core.statistics import (
    OrderRule,
    Preference,
    PreferenceCounts,
    count_preferences,
    majority,
    position_bias,
    preference_of,
)
from tests.shared_data import shared_path

ARENA = "outputs_arena_hard_o1-mini-2024-09-12"
REWARD_MODEL = "outputs_reward_model"

WIN, TIE, LOSE = Preference.WIN, Preference.TIE, Preference.LOSE

# (first order, second order): strict as OpenRS, lenient as Table 16 of paper 000.
NINE = [
    (WIN, WIN, WIN, WIN),
    (WIN, TIE, TIE, WIN),
    (WIN, LOSE, TIE, TIE),
    (TIE, WIN, TIE, WIN),
    (TIE, TIE, TIE, TIE),
    (TIE, LOSE, TIE, LOSE),
    (LOSE, WIN, TIE, TIE),
    (LOSE, TIE, TIE, LOSE),
    (LOSE, LOSE, LOSE, LOSE),
]


@pytest.mark.parametrize(("one", "other", "strict", "lenient"), NINE)
def test_two_orders_combine_by_the_named_rule(one, other, strict, lenient):
    assert OrderRule.STRICT.combine(one, other) is strict
    assert OrderRule.LENIENT.combine(one, other) is lenient


@pytest.mark.parametrize("rule", list(OrderRule))
@pytest.mark.parametrize("pair", [(None, WIN), (WIN, None), (None, None)])
def test_an_unscored_call_leaves_both_orders_unscored(rule, pair):
    assert rule.combine(*pair) is None


@pytest.mark.parametrize(
    ("votes", "label"),
    [
        ([WIN, WIN, LOSE], WIN),
        ([WIN, WIN, LOSE, LOSE], TIE),
        ([WIN, TIE, LOSE], TIE),
        ([LOSE, LOSE, TIE, WIN], LOSE),
        ([None, WIN, None], WIN),
        ([None, None], None),
        ([], None),
    ],
)
def test_the_majority_is_a_unique_plurality_or_a_tie(votes, label):
    assert majority(votes) is label


def test_a_preference_is_told_from_either_side():
    assert (WIN.flipped, TIE.flipped, LOSE.flipped) == (LOSE, TIE, WIN)
    assert [preference_of(score) for score in (0.1, 0, -3)] == [WIN, TIE, LOSE]


def test_rates_that_treat_ties_differently_stand_together():
    counts = count_preferences([WIN] * 5 + [TIE] * 3 + [LOSE] * 2 + [None])
    assert counts == PreferenceCounts(5, 3, 2, 1)
    assert (counts.win_rate.value, counts.win_rate.n, counts.win_rate.left_out) == (0.5, 10, 1)
    assert counts.half_credit_rate.value == 0.65
    assert counts.decided_rate.value == pytest.approx(5 / 7)
    assert counts.decided_rate.left_out == 4
    # 5 wins, 2 losses: 2 (1 + 7 + 21) / 128.
    assert counts.p_value == pytest.approx(58 / 128)


def test_rates_of_nothing_are_undefined():
    counts = count_preferences([None, TIE])
    assert counts.decided_rate.reason == "no pair was decided"
    assert counts.p_value is None
    assert count_preferences([None]).win_rate.reason == "no pair was scored"


def test_a_judge_that_always_takes_the_first_is_found_out():
    # Told from the studied side: shown first it wins, shown second it loses.
    bias = position_bias([(WIN, LOSE)] * 10 + [(WIN, WIN), (TIE, TIE), (WIN, None)])
    assert bias.opposite.value == pytest.approx(10 / 12)
    assert (bias.opposite.n, bias.opposite.left_out) == (12, 1)
    assert (bias.first_shown, bias.second_shown) == (21, 1)
    assert bias.p_value == pytest.approx(2 / 1024)


def test_a_steady_judge_has_no_bias_to_test():
    bias = position_bias([(WIN, WIN), (LOSE, LOSE), (LOSE, TIE)])
    assert bias.opposite.value == 0
    assert bias.p_value is None
    assert (bias.first_shown, bias.second_shown) == (2, 3)
    assert position_bias([(None, WIN)]).opposite.reason == "no pair was scored in both orders"


@pytest.mark.shared
def test_the_published_majorities_of_three_annotators_come_out():
    names = {0: TIE, 1: WIN, 2: LOSE}
    path = shared_path("pandalm/labels_all_999.jsonl")
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    labels = [[names[row[f"annotator{n}"]] for n in (1, 2, 3)] for row in rows]
    assert not any(len(set(votes)) == 3 for votes in labels)
    assert Counter(map(majority, labels)) == {TIE: 105, WIN: 422, LOSE: 472}


@pytest.mark.shared
@pytest.mark.parametrize(
    ("judge", "knowledge", "coding"),
    [
        (ARENA, 58.44, 78.57),
        (f"{REWARD_MODEL}_Skywork_Skywork-Reward-Gemma-2-27B", 59.74, 50.00),
        (f"{REWARD_MODEL}_Skywork_Skywork-Reward-Llama-3.1-8B", 59.09, 50.00),
        (f"{REWARD_MODEL}_internlm_internlm2-20b-reward", 62.34, 50.00),
        (f"{REWARD_MODEL}_internlm_internlm2-7b-reward", 56.49, 50.00),
        # 64.29 is published for coding; the scores in the file give 23 of 42 under any rule.
        (f"{REWARD_MODEL}_Ray2333_GRM-Gemma-2B-rewardmodel-ft", 62.99, 54.76),
    ],
)
def test_the_published_accuracy_over_both_orders_comes_out(judge, knowledge, coding):
    # Right where the votes over both orders lean to the label; the lenient rule in other words.
    path = shared_path(f"judgebench/{judge}_knowledge_coding.jsonl")
    rows = [json.loads(line) for line in path.read_text().split("\n") if line]
    right: dict[bool, list[bool]] = {True: [], False: []}
    for row in rows:
        calls = [_call(one["decision"], row["label"]) for one in row["judgments"]]
        # The second call shows the two the other way round.
        label = OrderRule.LENIENT.combine(calls[0], calls[1].flipped)
        right[row["source"].startswith("livecodebench")].append(label is WIN)
    assert 100 * sum(right[False]) / len(right[False]) == pytest.approx(knowledge, abs=0.005)
    assert 100 * sum(right[True]) / len(right[True]) == pytest.approx(coding, abs=0.005)


def _call(decision: str | None, label: str) -> Preference:
    """From the side of the labelled winner; these files count ties and failures alike."""
    if decision not in ("A>B", "B>A"):
        return TIE
    return WIN if decision == label else LOSE
