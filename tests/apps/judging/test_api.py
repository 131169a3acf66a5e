"""Runs and verdicts over HTTP."""

import pytest
from django.test import Client

from apps.accounts.models import Scope
from apps.calls.models import ModelRole
from apps.judging import services, tasks
from apps.judging.models import JudgeRun, Verdict
from tests import factories
from tests.apps.judging.conftest import carry

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_slots")]


@pytest.fixture
def enqueued(monkeypatch):
    """The runs that were sent to the queue; nothing is judged."""
    sent: list[int] = []
    monkeypatch.setattr(tasks.dispatch_run, "delay", sent.append)
    return sent


@pytest.fixture
def project(fill, use_model):
    use_model()
    return fill(rollouts=2)


@pytest.fixture
def api(project):
    """Calls the API of the project with a token."""
    token = factories.make_token(project, Scope.RUNS_READ, Scope.RUNS_WRITE).plaintext
    client = Client(headers={"Authorization": f"Bearer {token}"})
    root = f"/api/v1/projects/{project.slug}/runs"

    def call(path="", data=None, method=None):
        method = method or ("get" if data is None else "post")
        more = {} if data is None else {"data": data, "content_type": "application/json"}
        return getattr(client, method)(f"{root}{path}", **more)

    return call


def test_a_run_is_started_and_enqueued(api, enqueued, django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks(execute=True):
        reply = api(data={"limit": 1, "samples": 2})

    run = JudgeRun.objects.get()
    assert reply.status_code == 201
    assert reply.json()["number"] == run.number
    # (2 criteria + 1 global) x 1 rollout x 2 samples
    assert reply.json()["progress"] | {"expected": 6, "queued": 6} == reply.json()["progress"]
    assert enqueued == [run.pk]


def test_a_wish_that_cannot_be_met_gets_a_sentence(api, enqueued):
    reply = api(data={"rollouts": [99]})

    assert reply.status_code == 422
    assert reply.json() == {"error": "The project has no rollout 99."}
    assert enqueued == []


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ([], "body: Input should be a valid dictionary"),
        ({"limitt": 1}, "limitt: Extra inputs are not permitted"),
        ({"rollouts": "all"}, "rollouts: Input should be a valid list"),
    ],
)
def test_a_body_that_says_something_else_starts_nothing(api, enqueued, body, sentence):
    reply = api(data=body)

    assert reply.status_code == 422
    assert reply.json()["error"].startswith(sentence)
    assert not JudgeRun.objects.exists()


def test_without_a_judge_the_reply_says_what_to_do(api, enqueued):
    ModelRole.objects.all().delete()

    reply = api(data={})

    assert reply.status_code == 503
    assert "LLM_BASE_URL" in reply.json()["error"]


def test_runs_are_listed_from_the_newest_page_by_page(api, project):
    for _ in range(3):
        services.start_run(project=project)

    first = api("?limit=2").json()
    rest = api(f"?limit=2&after={first['next']}").json()

    assert [run["number"] for run in first["items"] + rest["items"]] == [3, 2, 1]
    assert rest["next"] is None


def test_a_list_of_runs_takes_as_many_queries_for_one_as_for_many(
    api, project, django_assert_max_num_queries
):
    for _ in range(10):
        services.start_run(project=project)

    with django_assert_max_num_queries(6):
        api()


def test_a_run_is_paused_resumed_and_cancelled(
    api, project, enqueued, django_capture_on_commit_callbacks
):
    number = services.start_run(project=project).run.number

    with django_capture_on_commit_callbacks(execute=True):
        states = [
            api(f"/{number}/{act}", method="post").json()["state"]
            for act in ("pause", "resume", "cancel")
        ]

    assert states == ["paused", "queued", "cancelled"]
    assert len(enqueued) == 1


def test_verdicts_are_paged_and_narrowed_to_a_state(api, started, project, stub, use_model):
    use_model(stub.base_url)
    run = carry(services.start_run(project=project).run)

    first = api(f"/{run.number}/verdicts?limit=4&state=scored").json()
    rest = api(f"/{run.number}/verdicts?limit=4&after={first['next']}").json()

    told = first["items"] + rest["items"]
    assert [one["id"] for one in told] == list(
        Verdict.objects.order_by("pk").values_list("pk", flat=True)
    )
    assert "evidence" not in told[0]
    assert api(f"/{run.number}/verdicts?state=failed").json() == {"items": [], "next": None}


def test_one_verdict_tells_everything_behind_it(api, project, stub, use_model, quick_retries):
    use_model(stub.base_url)
    run = carry(services.start_run(project=project).run)
    verdict = Verdict.objects.filter(criterion__isnull=False).earliest("pk")

    told = api(f"/{run.number}/verdicts/{verdict.pk}").json()

    (call,) = told["calls"]
    assert told["evidence"] == verdict.evidence
    assert (call["template"], call["served_model"], call["http_status"]) == ("judge", "judge", 200)
    assert call["request"]["messages"]
    assert call["parsed"]["answer"] == told["answer"]
    assert call["prompt_tokens"] > 0 <= call["latency_ms"]


def test_a_run_of_another_project_is_not_there(api, fill):
    foreign = services.start_run(project=fill()).run

    assert api(f"/{foreign.number + 1}").status_code == 404
    assert api("/1/verdicts/1").status_code == 404


def test_failed_cells_are_asked_again_by_a_child_run(api, project, enqueued):
    parent = services.start_run(project=project).run
    services.cancel_run(run=parent)

    reply = api(data={"scope": "failed", "parent": parent.number})

    assert reply.status_code == 201
    assert (reply.json()["parent"], reply.json()["expected"]) == (parent.number, 6)


@pytest.mark.parametrize("wish", [{"scope": "failed"}, {"parent": 1}])
def test_scope_and_parent_go_together(api, wish):
    assert api(data=wish).status_code == 422


def test_a_token_that_may_only_read_starts_nothing(project):
    token = factories.make_token(project, Scope.RUNS_READ).plaintext
    client = Client(headers={"Authorization": f"Bearer {token}"})

    reply = client.post(
        f"/api/v1/projects/{project.slug}/runs", data={}, content_type="application/json"
    )

    assert reply.status_code == 403
    assert not JudgeRun.objects.exists()
