"""Groups that people scored, replayed through every rule: people stay on top under each."""

import json
from collections import defaultdict

import numpy as np
import pytest

from rubricstudio.core.bradley_terry import outcomes
from rubricstudio.core.fusion import RULES
from tests.core.fusion.fusing import fuse_all
from tests.shared_data import shared_path

# What each published score runs from and to.
TALK = {
    "understandability": (0, 1),
    "naturalness": (1, 3),
    "coherence": (1, 3),
    "engagingness": (1, 3),
    "groundedness": (0, 1),
}
STORY = ("Relevance", "Coherence", "Empathy", "Surprise", "Engagement", "Complexity")
PLAIN_RULES = sorted(set(RULES) - {"gated", "bucketed", "pairwise"})


def rows_of(name):
    return [json.loads(line) for line in shared_path(name).read_text().split("\n") if line]


def means_by(batch, rule, more):
    """The mean reward of each system over groups of (system, scores by criterion)."""
    made = fuse_all(
        [
            {
                "aggregator": rule,
                "scores": [list(row) for row in zip(*(scores for _, scores in group), strict=True)],
                **more,
            }
            for group in batch
        ]
    )
    totals = defaultdict(list)
    for group, result in zip(batch, made, strict=True):
        for (system, _), reward in zip(group, result.rewards, strict=True):
            totals[system].append(reward)
    return {system: sum(values) / len(values) for system, values in totals.items()}


def rules_with_their_rows(criteria):
    yield from ((rule, {}) for rule in PLAIN_RULES)
    yield "bucketed", {"buckets": ["general"] * criteria}
    yield "gated", {"rules": [0], "settings": {"pass_at": 0.3}}


def talk_groups():
    by_prompt = defaultdict(list)
    for row in rows_of("rollout_groups/topical_chat.jsonl"):
        unit = [(row["scores"][name] - low) / (high - low) for name, (low, high) in TALK.items()]
        by_prompt[row["source"], row["context"]].append((row["system_id"], unit))
    return list(by_prompt.values())


@pytest.mark.shared
@pytest.mark.parametrize(("rule", "more"), list(rules_with_their_rows(len(TALK))))
def test_both_human_systems_lead_a_dialogue(rule, more):
    means = means_by(talk_groups(), rule, more)
    best = sorted(means, key=means.__getitem__, reverse=True)[:2]
    assert sorted(best) == ["New Human Generated", "Original Ground Truth"]


@pytest.mark.shared
def test_a_fifth_of_the_pairs_of_a_dialogue_are_ties():
    tied = total = 0
    by_prompt = defaultdict(list)
    for row in rows_of("rollout_groups/topical_chat.jsonl"):
        by_prompt[row["source"], row["context"]].append(list(row["scores"].values()))
    for group in by_prompt.values():
        for values in zip(*group, strict=True):
            won = outcomes(np.array([values]), np.zeros(1))[0][np.triu_indices(len(values), 1)]
            tied, total = tied + int((won == 0.5).sum()), total + len(won)
    assert total == 34 * 15 * 6
    assert tied / total == pytest.approx(0.209, abs=0.0005)


@pytest.mark.shared
@pytest.mark.parametrize(("rule", "more"), list(rules_with_their_rows(len(STORY))))
def test_human_stories_lead_their_prompts(rule, more):
    by_prompt = defaultdict(list)
    for row in rows_of("rollout_groups/hanna_scores.jsonl"):
        unit = [(row[name] - 1) / 4 for name in STORY]
        by_prompt[row["prompt_index"]].append((row["Model"], unit))
    means = means_by(list(by_prompt.values()), rule, more)
    assert max(means, key=means.__getitem__) == "Human"
