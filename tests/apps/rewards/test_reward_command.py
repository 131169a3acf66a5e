"""`manage.py reward`."""

import json

import pytest
from django.core.management import call_command

from tests import factories
from tests.apps.rewards.world import criteria, judged, save_spec, say

pytestmark = pytest.mark.django_db


@pytest.fixture
def judge_run(project, prompt):
    save_spec(prompt, criteria({"a": 1, "b": 1}))
    run = judged(project)
    say(run, factories.make_rollout(prompt), {"a": "yes", "b": "no"}, overall=10.0)
    return run


def result(capsys):
    return json.loads(capsys.readouterr().out.splitlines()[-1])


def test_it_reports_how_many_and_their_mean(judge_run, capsys):
    call_command("reward", project="tides")

    # ((1 + 0) / 2 + 1) / 2
    assert result(capsys) == {"rewards": 1, "unscored": 0, "mean": 0.75}


def test_it_says_why_rollouts_have_no_reward(project, judge_run, capsys):
    other = factories.make_prompt(project, "Why is the sky blue?")
    factories.make_rollout(other)

    call_command("reward", project="tides")

    assert "unscored, no_spec: 1" in capsys.readouterr().err


def test_without_rewards_the_mean_is_null(project, prompt, capsys):
    factories.make_rollout(prompt)
    judged(project)

    call_command("reward", project="tides")

    assert result(capsys) == {"rewards": 0, "unscored": 1, "mean": None}


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"config": "other"}, "There is no reward configuration 'other'; the project has default."),
        ({"run": 99}, "Project tides has no run 99."),
        ({"project": "absent"}, "There is no project 'absent'"),
    ],
)
def test_what_it_cannot_find_is_a_sentence_and_exit_1(judge_run, capsys, options, sentence):
    with pytest.raises(SystemExit) as exit_:
        call_command("reward", **{"project": "tides", **options})

    told = result(capsys)
    assert exit_.value.code == 1
    assert told.pop("error").startswith(sentence)
    assert told == {"rewards": 0, "unscored": 0, "mean": None}
