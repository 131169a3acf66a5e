"""Rewards from stored verdicts and outcomes, through the database."""

import pytest
from django.db import DatabaseError, connection, transaction
from django.test.utils import CaptureQueriesContext

from apps.activity.errors import BadInput, Conflict
from apps.rewards import services
from apps.rewards.models import Reward, RewardRun
from apps.rewards.services import computing
from rubricstudio.core.types import Criterion, Polarity, Scale
from tests import factories
from tests.apps.rewards.world import (
    checked,
    criteria,
    judged,
    outcomes,
    save_spec,
    say,
    words_at_most,
)

pytestmark = pytest.mark.django_db

EXAMPLE = {"cause": "yes", "twice": "part", "plain": "yes", "short": "no"}
TOLERANCE = 2e-6


def config(project, **settings):
    if not settings:
        return services.config_named(project=project, name="default")
    settings = {"aggregator": "hybrid", **settings}
    return services.save_config(project=project, name="chosen", settings=settings)


def compute(project, **values):
    values.setdefault("config", config(project))
    return services.compute_rewards(project=project, **values)


def rewards(run):
    rows = Reward.objects.filter(run=run).order_by("rollout")
    return list(rows.values_list("reward", flat=True))


def queries_of(act):
    with CaptureQueriesContext(connection) as captured:
        act()
    return len(captured)


def judged_group(project, prompt, group, *answers, overall=None):
    """One rollout per mapping of answers, judged in one run."""
    run = judged(project)
    for given in answers:
        say(run, factories.make_rollout(prompt, group=group), given, overall=overall)
    return run


@pytest.mark.parametrize(
    ("alpha", "n", "reward"),
    [
        (1.0, 3, 0.729798),
        (1.0, 0, 0.761364),
        (0.25, 3, 0.723064),
        (0.0, 3, 0.719697),
        (0.0, 0, 0.772727),
    ],
)
def test_the_worked_example_of_the_paper_holds_end_to_end(project, prompt, alpha, n, reward):
    # s_r = 8.5 / 11, s_g = 7.5 / 10, s_c = 2 / 3
    save_spec(prompt, criteria(), words_at_most(*range(10, 10 + n)))
    rollout = factories.make_rollout(prompt)
    say(judged(project), rollout, EXAMPLE, overall=7.5)
    if n:
        outcomes(checked(project), rollout, "passed", "passed", "failed")

    run = compute(project, config=config(project, alpha={"value": alpha}))

    row = Reward.objects.get(run=run)
    assert row.reward == pytest.approx(reward, abs=TOLERANCE)
    assert row.components == {
        "rubric": pytest.approx(0.772727, abs=TOLERANCE),
        "global": 0.75,
        "code": pytest.approx(0.666667, abs=TOLERANCE) if n else None,
    }


def test_advantages_are_six_times_the_distance_from_the_mean_of_the_group(project, prompt, group):
    # Weights 2, 3, 3, 1, 1 out of 10 give R = .2, .5, .8, .9; their mean is .6.
    weights = {"a": 2, "b": 3, "c": 3, "d": 1, "e": 1}
    save_spec(prompt, criteria(weights, scale=Scale.BINARY))
    met = ("a", "ab", "abc", "abcd")
    answers = [{key: "yes" if key in keys else "no" for key in weights} for keys in met]
    judged_group(project, prompt, group, *answers)

    run = compute(project, config=config(project, components="R"))

    rows = Reward.objects.filter(run=run).order_by("rollout")
    assert [row.reward for row in rows] == pytest.approx([0.2, 0.5, 0.8, 0.9])
    assert [row.advantage for row in rows] == pytest.approx([-2.4, -0.6, 1.2, 1.8])


def test_a_checker_that_is_unavailable_for_one_rollout_counts_for_none(project, prompt, group):
    # Renormalised on its own, the second would get .7 where the first gets (.7 + 0 + .7) / 3.
    save_spec(prompt, criteria({"a": 7, "b": 3}), words_at_most(5))
    judged_group(project, prompt, group, *[{"a": "yes", "b": "no"}] * 2, overall=7.0)
    check_run = checked(project)
    first, second = group.rollouts.order_by("pk")
    outcomes(check_run, first, "failed")
    outcomes(check_run, second, "unavailable")

    run = compute(project)

    assert rewards(run) == pytest.approx([0.7, 0.7])
    flags = {"item_dropped", "component_dropped", "zero_signal"}
    assert all(set(row.flags) == flags for row in run.rewards.all())


def test_a_lost_verdict_lifts_nobody(project, prompt, group):
    # Over the two criteria that both rollouts have: (3 + 0) / 4, not 3 / 3 for the second.
    save_spec(prompt, criteria({"a": 3, "b": 1, "c": 2}))
    whole = {"a": "yes", "b": "no", "c": "no"}
    judged_group(project, prompt, group, whole, {**whole, "c": "unparsable"})

    run = compute(project, config=config(project, components="R"))

    assert rewards(run) == pytest.approx([0.75, 0.75])
    assert [row.coverage for row in run.rewards.order_by("rollout")] == pytest.approx([1, 2 / 3])


def test_a_spec_without_a_rubric_is_rewarded_for_the_components_it_has(project, prompt):
    save_spec(prompt, (), words_at_most(5, 9))
    rollout = factories.make_rollout(prompt)
    outcomes(checked(project), rollout, "failed", "passed")

    run = compute(project)

    assert rewards(run) == [0.5]
    assert run.judge_run is None


def test_samples_of_one_question_count_by_their_mean(project, prompt):
    save_spec(prompt, criteria({"a": 1}))
    rollout = factories.make_rollout(prompt)
    run = judged(project, samples=2)
    say(run, rollout, {"a": "yes"}, overall=6.0, sample=0)
    say(run, rollout, {"a": "part"}, overall=8.0, sample=1)

    computed = compute(project)

    # ((1 + .5) / 2 + (.6 + .8) / 2) / 2
    assert rewards(computed) == pytest.approx([0.725])


def test_a_child_run_fills_the_gaps_of_its_parent(project, prompt):
    save_spec(prompt, criteria({"a": 1, "b": 1}))
    rollout = factories.make_rollout(prompt)
    parent = judged(project)
    say(parent, rollout, {"a": "yes", "b": "timeout"}, overall=5.0)
    say(judged(project, parent=parent, scope="failed"), rollout, {"b": "no"})

    run = compute(project)

    # ((1 + 0) / 2 + .5) / 2
    assert rewards(run) == [0.5]


class TestStaleVerdicts:
    def test_a_verdict_about_another_wording_does_not_count(self, project, prompt):
        save_spec(prompt, criteria({"a": 1, "b": 1}))
        rollout = factories.make_rollout(prompt)
        say(judged(project), rollout, {"a": "yes", "b": "no"})
        reworded = Criterion("b", "It says so in other words.", scale=Scale.TERNARY)
        save_spec(prompt, (*criteria({"a": 1}), reworded))

        run = compute(project)

        assert rewards(run) == [1.0]
        assert run.summary["stale"] == 1
        assert "stale" in run.rewards.get().flags

    def test_a_changed_weight_applies_to_the_verdicts_that_are_there(self, project, prompt):
        save_spec(prompt, criteria({"a": 1, "b": 1}))
        rollout = factories.make_rollout(prompt)
        say(judged(project), rollout, {"a": "yes", "b": "no"})
        save_spec(prompt, criteria({"a": 3, "b": 1}))

        run = compute(project)

        assert rewards(run) == [0.75]
        assert run.summary["stale"] == 0

    def test_a_group_with_nothing_but_stale_verdicts_says_so(self, project, prompt):
        save_spec(prompt, criteria({"a": 1}))
        say(judged(project), factories.make_rollout(prompt), {"a": "yes"})
        save_spec(prompt, (Criterion("a", "Something else."),))

        run = compute(project)

        assert run.summary["unscored_by_reason"] == {"stale": 1}


class TestUnscored:
    def test_a_group_that_nobody_judged_or_checked_is_not_judged(self, project, prompt):
        other = factories.make_prompt(project, "Why is the sky blue?")
        for one in (prompt, other):
            save_spec(one, criteria({"a": 1}))
        say(judged(project), factories.make_rollout(prompt), {"a": "yes"})
        left = factories.make_rollout(other)

        run = compute(project)

        assert Reward.objects.get(run=run, rollout=left).reason == "not_judged"
        assert (run.summary["rewards"], run.summary["unscored"]) == (1, 1)

    def test_a_prompt_without_a_spec_has_no_rewards(self, project, prompt):
        factories.make_rollout(prompt)
        judged(project)

        run = compute(project)

        assert run.summary["unscored_by_reason"] == {"no_spec": 1}
        assert run.summary["mean"] is None

    def test_a_judge_that_said_nothing_usable_is_never_a_score(self, project, prompt):
        save_spec(prompt, criteria({"a": 1}))
        say(judged(project), factories.make_rollout(prompt), {"a": "unparsable"})

        run = compute(project)

        assert run.summary["unscored_by_reason"] == {"nothing_scored": 1}

    def test_verdicts_of_another_judge_do_not_count(self, project, prompt):
        save_spec(prompt, criteria({"a": 1}))
        rollout = factories.make_rollout(prompt)
        parent = judged(project, judge_sha256="0" * 64)
        say(parent, rollout, {"a": "yes"})
        judged(project, parent=parent, judge_sha256="1" * 64)

        run = compute(project)

        assert run.summary["unscored_by_reason"] == {"other_judge": 1}
        assert run.summary["other_judge"] == 1

    def test_a_schedule_without_a_step_gives_no_reward(self, project, prompt):
        save_spec(prompt, criteria({"a": 1}))
        run = judged(project)
        say(run, factories.make_rollout(prompt), {"a": "yes"}, overall=0.0)
        say(run, factories.make_rollout(prompt, step=400), {"a": "yes"}, overall=0.0)

        computed = compute(project, config=config(project, alpha={"kind": "linear"}))

        # At step 400 of 800 alpha is .5: 1 / 1.5.
        assert rewards(computed) == [None, pytest.approx(2 / 3)]
        assert computed.summary["unscored_by_reason"] == {"no_step": 1}

    def test_a_rubric_that_cannot_be_read_is_named_and_the_rest_goes_on(self, project, prompt):
        mixed = [
            Criterion("a", "Is rude.", polarity=Polarity.NEGATIVE, scale=Scale.POINTS),
            Criterion("b", "Is long.", polarity=Polarity.NEGATIVE, scale=Scale.BINARY),
        ]
        save_spec(prompt, mixed)
        other = factories.make_prompt(project, "Why is the sky blue?")
        save_spec(other, criteria({"a": 1}))
        run = judged(project)
        say(run, factories.make_rollout(prompt), {"a": "no"})
        say(run, factories.make_rollout(other), {"a": "yes"})

        computed = compute(project)

        (problem,) = computed.summary["problems"]
        assert computed.summary["unscored_by_reason"] == {"unusable_spec": 1}
        assert problem.startswith(f"Prompt {prompt.number}: the rubric has negative criteria")


class TestRuns:
    @pytest.fixture
    def judge_run(self, project, prompt, group):
        save_spec(prompt, criteria())
        return judged_group(project, prompt, group, EXAMPLE, {**EXAMPLE, "cause": "no"})

    def test_equal_inputs_are_the_run_that_is_there(self, project, judge_run):
        assert compute(project) == compute(project)

    def test_other_inputs_are_another_run_and_the_first_one_stays(self, project, prompt, judge_run):
        first = compute(project)
        before = rewards(first)
        save_spec(prompt, criteria({**dict.fromkeys(EXAMPLE, 1)}))

        second = compute(project)

        assert second.number == first.number + 1
        assert rewards(first) == before != rewards(second)

    def test_computing_again_gives_the_same_numbers_bit_for_bit(self, project, judge_run):
        run = compute(project)

        with transaction.atomic():
            again = [row for one in services.rewards_of(run) for row in one.rewards]

        stored = Reward.objects.filter(run=run).order_by("rollout")
        numbers = [(row.reward, row.advantage, row.components) for row in stored]
        assert [(row.reward, row.advantage, row.components) for row in again] == numbers

    def test_rewards_under_two_versions_of_a_spec_are_not_stored(
        self, project, prompt, judge_run, monkeypatch
    ):
        real = computing.rewards_of

        def while_somebody_saves(run):
            save_spec(prompt, criteria({"cause": 1}))
            return real(run)

        monkeypatch.setattr(computing, "rewards_of", while_somebody_saves)

        with pytest.raises(Conflict, match="was added meanwhile"):
            compute(project)

        assert not RewardRun.objects.exists()

    def test_an_older_run_can_be_named(self, project, prompt, group, judge_run):
        judged_group(project, prompt, group, {"cause": "no"})

        assert compute(project, judge_run=judge_run).judge_run == judge_run

    def test_a_run_that_is_not_over_is_refused(self, project, judge_run):
        open_run = factories.make_run(project)

        with pytest.raises(Conflict, match=f"Run {open_run.number} is not over yet"):
            compute(project, judge_run=open_run)

    def test_without_any_evidence_there_is_nothing_to_compute(self, project, prompt):
        with pytest.raises(BadInput, match="run judge or run_checks first"):
            compute(project)

    def test_a_check_run_that_was_interrupted_is_not_taken(self, project, judge_run):
        checked(project, finished_at=None)

        assert compute(project).check_run is None

    def test_rewards_never_change(self, project, judge_run):
        run = compute(project)

        with pytest.raises(DatabaseError, match="never change"), transaction.atomic():
            Reward.objects.filter(run=run).update(reward=1.0)
        with pytest.raises(DatabaseError, match="are kept"), transaction.atomic():
            RewardRun.objects.filter(pk=run.pk)._raw_delete("default")

    def test_the_number_of_queries_does_not_grow_with_the_groups(self, project, prompt, judge_run):
        few = queries_of(lambda: compute(project))
        for number in range(20):
            other = factories.make_prompt(project, f"Why is the sea blue? ({number})")
            save_spec(other, criteria())
            say(judge_run, factories.make_rollout(other), EXAMPLE)

        many = queries_of(lambda: compute(project))

        assert many <= few
