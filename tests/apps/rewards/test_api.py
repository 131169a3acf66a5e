"""Rewards over HTTP, with a token as a trainer has it."""

import pytest
from django.test import Client

from apps.accounts.models import Scope
from tests import factories
from tests.apps.rewards.world import criteria, judged, save_spec, say

pytestmark = pytest.mark.django_db

ADDRESS = "/api/v1/projects/tides"


@pytest.fixture
def client_with(project):
    def make(*scopes):
        token = factories.make_token(project, *scopes).plaintext
        return Client(headers={"authorization": f"Bearer {token}"})

    return make


@pytest.fixture
def rollout(project, prompt):
    save_spec(prompt, criteria({"a": 1}))
    rollout = factories.make_rollout(prompt)
    say(judged(project), rollout, {"a": "yes"}, overall=5.0)
    return rollout


def post(client, path, **body):
    return client.post(ADDRESS + path, body, content_type="application/json")


def test_rewards_are_computed_and_read_back(client_with, rollout, prompt):
    client = client_with(Scope.RUNS_WRITE, Scope.REWARDS_READ)

    made = post(client, "/reward-runs").json()
    (row,) = client.get(f"{ADDRESS}/reward-runs/{made['number']}/rewards").json()["items"]

    # (1 + .5) / 2
    assert made["summary"]["mean"] == 0.75
    assert row == {
        "rollout": rollout.number,
        "group": rollout.group_id,
        "prompt": prompt.number,
        "prompt_id": prompt.key,
        "prompt_revision": 1,
        "reward": 0.75,
        "advantage": 0.0,
        "components": {"rubric": 1.0, "code": None, "global": 0.5},
        "coverage": 1.0,
        "flags": ["single"],
        "reason": "",
    }


def test_rewards_come_in_pages(client_with, project, prompt, rollout):
    run = judged(project)
    for _number in range(3):
        say(run, factories.make_rollout(prompt), {"a": "yes"})
    client = client_with(Scope.RUNS_WRITE, Scope.REWARDS_READ)
    number = post(client, "/reward-runs").json()["number"]
    address = f"{ADDRESS}/reward-runs/{number}/rewards?limit=3"

    first = client.get(address).json()
    last = client.get(f"{address}&after={first['next']}").json()

    assert (len(first["items"]), len(last["items"]), last["next"]) == (3, 1, None)


def test_a_list_of_rewards_reads_no_messages(client_with, rollout, django_assert_max_num_queries):
    client = client_with(Scope.RUNS_WRITE, Scope.REWARDS_READ)
    number = post(client, "/reward-runs").json()["number"]

    with django_assert_max_num_queries(4) as captured:
        client.get(f"{ADDRESS}/reward-runs/{number}/rewards")

    assert not any('"messages"' in query["sql"] for query in captured.captured_queries)


def test_runs_are_listed_newest_first(client_with, project, rollout):
    client = client_with(Scope.RUNS_WRITE, Scope.REWARDS_READ)
    post(client, "/reward-runs")
    judged(project)
    post(client, "/reward-runs")

    listed = client.get(f"{ADDRESS}/reward-runs").json()["items"]

    assert [run["number"] for run in listed] == [2, 1]
    assert client.get(f"{ADDRESS}/reward-runs/1").json() == listed[1]


def test_a_configuration_is_saved_and_used(client_with, rollout):
    client = client_with(Scope.RUNS_WRITE, Scope.REWARDS_READ)
    settings = {"aggregator": "hybrid", "components": "G"}

    saved = post(client, "/reward-configs", name="global only", settings=settings)
    made = post(client, "/reward-runs", config="global only").json()

    assert saved.status_code == 201
    assert client.get(f"{ADDRESS}/reward-configs").json()["items"] == [saved.json()]
    assert made["summary"]["mean"] == 0.5


def test_wrong_settings_are_a_sentence(client_with):
    reply = post(client_with(Scope.RUNS_WRITE), "/reward-configs", name="x", settings={})

    assert reply.status_code == 422
    assert reply.json()["error"].startswith("the aggregator None is unknown")


@pytest.mark.parametrize(
    ("path", "body", "sentence"),
    [
        ("/reward-runs", {"config": "a\x00b"}, "config: holds a NUL character"),
        (
            "/reward-configs",
            {"name": "a", "settings": {"deep": [{"\x00": 1}]}},
            "settings: holds a NUL character",
        ),
        (
            "/reward-configs",
            {"name": "a", "settings": {"half": "\ud800"}},
            "settings: holds half of a surrogate pair",
        ),
    ],
)
def test_text_that_no_database_keeps_is_refused_with_its_place(client_with, path, body, sentence):
    reply = post(client_with(Scope.RUNS_WRITE), path, **body)

    assert reply.status_code == 422
    assert reply.json()["error"].startswith(sentence)


def test_computing_needs_its_scope(client_with, rollout):
    assert post(client_with(Scope.REWARDS_READ), "/reward-runs").status_code == 403
