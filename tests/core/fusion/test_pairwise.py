"""A group against its anchor: rewards, guardrails, signs, lean, and how the anchor is drawn."""

import pytest

from tests.core.fusion.fusing import fuse


def test_rewards_against_an_anchor_add_what_code_can_verify():
    # Response 0 is the anchor; 1 wins both orders with 2 and 1, so 1.5 / 2 = .75; it passes one
    # checker of two more than the anchor: + .5. Response 2 was never compared.
    pairs = [
        {"i": 1, "j": 0, "score": 2, "tier": "core"},
        {"i": 0, "j": 1, "score": -1, "tier": "core"},
    ]
    made = fuse(
        {
            "aggregator": "pairwise",
            "checks": [[1, 1, 1], [0, 1, 1]],
            "comparisons": pairs,
            "settings": {"anchor": 0},
        }
    )
    assert made.rewards == (0.0, 1.25, None)
    assert made.components["pairwise"] == (0.0, 1.5, None)
    assert made.flags["lean"] == pytest.approx(1 / 3)
    assert made.flags["drop"] is False


def test_a_failed_guardrail_is_below_everything():
    made = fuse(
        {
            "aggregator": "pairwise",
            "checks": [[1, 0], [1, None]],
            "rules": [0],
            "comparisons": [{"i": 1, "j": 0, "score": 2}, {"i": 0, "j": 1, "score": -2}],
        }
    )
    assert made.rewards == (0.0, -2.0)
    assert made.flags["anchor"] == 0
    assert made.flags["guardrail_failed"] == [1]


@pytest.mark.parametrize(
    ("reward", "rewards"),
    [("score", (0.0, 0.5, 0.0)), ("sign", (0.0, 1.0, 0.0)), ("brpo", (0.0, 1.0, -1.0))],
)
def test_comparisons_make_scores_or_signs(reward, rewards):
    pairs = [
        {"i": 1, "j": 0, "score": 1},
        {"i": 0, "j": 1, "score": -1},
        {"i": 2, "j": 0, "score": 1},
        {"i": 0, "j": 2, "score": 1},
    ]
    settings = {"anchor": 0, "reward": reward}
    made = fuse({"aggregator": "pairwise", "comparisons": pairs, "settings": settings})
    assert made.rewards == rewards


def test_a_group_that_leans_too_far_is_to_be_dropped():
    # Six of eight win against the anchor, none loses: .75 above .6. With four: .5.
    def lean(wins):
        pairs = []
        for at in range(1, 8):
            score = 1 if at <= wins else 0
            pairs += [{"i": at, "j": 0, "score": score}, {"i": 0, "j": at, "score": -score}]
        row = {"aggregator": "pairwise", "comparisons": pairs, "settings": {"anchor": 0}}
        return fuse(row).flags

    assert (lean(6)["lean"], lean(6)["drop"]) == (0.75, True)
    assert (lean(4)["lean"], lean(4)["drop"]) == (0.5, False)


def test_the_anchor_is_drawn_by_its_seed_among_those_that_pass():
    row = {"aggregator": "pairwise", "checks": [[0, 1, 1, 1]], "rules": [0]}
    drawn = [fuse(row | {"settings": {"seed": seed}}).flags["anchor"] for seed in range(30)]
    assert set(drawn) == {1, 2, 3}
    none_passes = fuse(row | {"checks": [[0, 0, 0, 0]]})
    assert none_passes.flags["anchor"] in range(4)
    assert none_passes.rewards.count(None) == 3
    assert fuse({"aggregator": "pairwise", "scores": []}).rewards == ()
