"""Rollouts over REST: files in, lists without payloads, single rollouts with everything."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from apps.accounts.models import Scope
from apps.rollouts.models import Rollout
from tests.factories import make_group, make_project, make_prompt, make_rollout, make_token

pytestmark = pytest.mark.django_db


@pytest.fixture
def project():
    return make_project("tides")


@pytest.fixture
def call(client, project):
    headers = {"Authorization": f"Bearer {make_token(project).plaintext}"}

    def request(method, path, **options):
        return client.generic(method, f"/api/v1/projects/tides{path}", headers=headers, **options)

    return request


def test_a_file_is_imported_from_the_body(call, project):
    make_prompt(project, "Why?", key="a")
    body = b'{"prompt_id": "a", "response": "So."}\n{"response": null}\n'

    reply = call("POST", "/rollouts?policy=gpt", data=body, content_type="text/plain").json()

    assert (reply["new"], reply["rejected"], reply["rejects"][0]["line"]) == (1, 1, 2)
    assert Rollout.objects.get().policy.name == "gpt"


def test_an_import_needs_a_policy(call):
    reply = call("POST", "/rollouts", data=b"{}", content_type="text/plain")

    assert reply.status_code == 422
    assert "policy" in reply.json()["error"]


@pytest.mark.parametrize("count", [1, 20])
def test_the_list_reads_no_payload_and_needs_the_same_queries_for_any_number(call, project, count):
    prompt = make_prompt(project)
    group = make_group(prompt)
    for _ in range(count):
        make_rollout(prompt, "So. " * 500, group=group, columns={"note": "x" * 1000})

    with CaptureQueriesContext(connection) as queries:
        reply = call("GET", "/rollouts")

    reads = [one["sql"] for one in queries if '"rollouts_rollout"' in one["sql"]]
    assert len(reply.json()["items"]) == count
    assert len(reads) == 1
    assert not any(payload in reads[0] for payload in ('"messages"', '"columns"', '"given"'))
    assert len(queries) <= 4


def test_the_list_is_narrowed_by_prompt_policy_and_step(call, project):
    first, second = make_prompt(project), make_prompt(project, "How?")
    make_rollout(first, policy="p", step=1)
    make_rollout(first, policy="q", step=1)
    make_rollout(second, policy="p", step=2)

    def numbers(query):
        return [item["number"] for item in call("GET", f"/rollouts?{query}").json()["items"]]

    assert numbers("prompt=1") == [1, 2]
    assert numbers("policy=p") == [1, 3]
    assert numbers("policy=p&step=2") == [3]


def test_the_list_is_paged_by_number(call, project):
    prompt = make_prompt(project)
    for _ in range(3):
        make_rollout(prompt)

    first = call("GET", "/rollouts?limit=2").json()
    second = call("GET", f"/rollouts?limit=2&after={first['next']}").json()

    assert [item["number"] for item in first["items"] + second["items"]] == [1, 2, 3]


def test_one_rollout_comes_with_its_text_and_its_revisions(call, project):
    prompt = make_prompt(project, "Why?")
    first = make_rollout(prompt, "Old.", key="r", columns={"acc": 1, "canary": "secret-guid"})
    make_rollout(prompt, "New.", key="r", revision=2, group=first.group)

    reply = call("GET", "/rollouts/1")

    shown = reply.json()
    assert shown["messages"] == [{"role": "assistant", "content": "Old."}]
    assert (shown["prompt"], shown["columns"], shown["revisions"]) == (1, {"acc": 1}, [1, 2])
    assert b"secret-guid" not in reply.content


def test_what_is_not_there_or_of_another_project_is_not_found(call):
    make_rollout(make_prompt(make_project("other")))

    assert call("GET", "/rollouts/1").status_code == 404
    assert call("GET", "/rollouts").json()["items"] == []


@pytest.mark.parametrize(
    ("scope", "reads", "writes"),
    [(Scope.ROLLOUTS_READ, 200, 403), (Scope.ROLLOUTS_WRITE, 403, 200)],
)
def test_a_token_may_do_what_its_scope_says(client, project, scope, reads, writes):
    make_prompt(project, "Why?", key="a")
    headers = {"Authorization": f"Bearer {make_token(project, scope).plaintext}"}
    path = "/api/v1/projects/tides/rollouts"
    body = b'{"prompt_id": "a", "response": "So."}'

    read = client.get(path, headers=headers)
    write = client.post(f"{path}?policy=p", body, content_type="text/plain", headers=headers)

    assert (read.status_code, write.status_code) == (reads, writes)
