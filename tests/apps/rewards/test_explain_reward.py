"""Why a reward is what it is: the parts give the stored number, and each has its evidence."""

import pytest

from apps.rewards import services
from apps.rewards.models import Reward
from apps.rewards.services import config_named
from apps.specs.services import save_version
from rubricstudio.core.types import Scale
from tests import factories
from tests.apps.rewards.world import (
    WEIGHTS,
    checked,
    criteria,
    judged,
    outcomes,
    save_spec,
    say,
    words_at_most,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def world(project, prompt, group):
    """A prompt with a rubric and two checkers, two rollouts, one of them better."""
    save_spec(prompt, criteria(WEIGHTS), words_at_most(5, 100))
    run, checks = judged(project), checked(project)
    better, worse = (factories.make_rollout(prompt, group=group) for _ in range(2))
    say(run, better, {"cause": "yes", "twice": "part", "plain": "yes", "short": "no"}, overall=8)
    say(run, worse, {"cause": "no", "twice": "no", "plain": "yes", "short": "no"}, overall=2)
    outcomes(checks, better, "failed", "passed")
    outcomes(checks, worse, "passed", "passed")
    return better, worse


def explained(project, rollout, **settings):
    config = config_named(project=project, name="default")
    if settings:
        config = services.save_config(
            project=project, name="own", settings={"aggregator": "hybrid", **settings}
        )
    run = services.compute_rewards(project=project, config=config)
    return services.explain_reward(Reward.objects.get(run=run, rollout=rollout))


def lines(found):
    return {line.item.key: line for section in found.sections for line in section.lines}


def test_the_parts_give_the_stored_number(project, world):
    found = explained(project, world[0])

    # rubric (5 + 3 / 2 + 2) / 11, code 1 / 2, global 8 / 10
    assert found.agrees
    assert found.reward.reward == pytest.approx((8.5 / 11 + 0.5 + 0.8) / 3)
    shares = [line.item.share for line in lines(found).values()]
    assert sum(shares) == pytest.approx(found.reward.reward)


def test_each_item_leads_to_the_row_that_said_it(project, world):
    found = lines(explained(project, world[0]))

    (verdict,) = found["twice"].verdicts
    assert (verdict.answer, verdict.rollout) == ("part", world[0])
    assert found["1:word_count"].outcome.result == "failed"
    assert found["GLOBAL"].verdicts[0].score == 8


def test_the_group_is_shown_by_reward_with_its_mean(project, world):
    found = explained(project, world[1])

    rewards = [one.reward for one in found.siblings]
    assert [one.rollout for one in found.siblings] == list(world)
    assert found.mean == pytest.approx(sum(rewards) / 2)


def test_what_came_after_the_run_changes_nothing(project, prompt, group, world):
    first = explained(project, world[0])
    spec = first.spec
    assert spec is not None
    factories.make_rollout(prompt, group=group)
    save_version(spec, value=spec.as_value(), author=factories.make_user())

    again = services.explain_reward(first.reward)

    assert again.agrees
    assert again.spec == spec
    assert len(again.siblings) == 2


def test_a_verdict_about_an_older_text_is_shown_as_stale(project, prompt, world):
    save_spec(prompt, criteria({"cause": 5}) + criteria({"twice": 3}, scale=Scale.BINARY))

    found = lines(explained(project, world[0], components="R"))

    assert (found["twice"].verdicts, found["twice"].item.share) == ((), None)
    assert found["twice"].stale[0].answer == "part"
    assert found["cause"].verdicts


def test_a_rollout_of_a_prompt_without_a_spec_has_nothing_to_show(project, world):
    third = factories.make_rollout(factories.make_prompt(project, key="other"))

    found = explained(project, third)

    assert (found.reward.reason, found.breakdown, found.sections) == ("no_spec", None, ())


def test_a_spec_that_cannot_be_read_gives_the_sentence_that_says_so(project):
    prompt = factories.make_prompt(project, key="pairs")
    save_spec(prompt, criteria({"better": 1}, scale=Scale.PAIRWISE))
    judged(project)

    found = explained(project, factories.make_rollout(prompt))

    assert found.reward.reason == "unusable_spec"
    assert "compares two rollouts" in found.problem


def test_another_judges_verdicts_are_not_among_the_evidence(project, world):
    other = judged(project, judge_sha256="0" * 64)
    say(other, world[0], {"cause": "no"})
    run = judged(project, parent=other)
    say(run, world[0], {"plain": "yes"})

    found = lines(explained(project, world[0]))

    assert found["cause"].verdicts == ()
    assert found["plain"].verdicts[0].answer == "yes"
