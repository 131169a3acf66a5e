"""The pages of model servers and roles, and probing by a job."""

import re

import pytest

from apps.accounts.models import Role
from apps.activity.models import Job
from apps.calls import services
from apps.calls.models import ModelEndpoint, ModelRole
from apps.calls.services.encryption import api_key_of
from rubricstudio.testing.stub.process import stub_server
from tests.apps.judging.conftest import own_slots
from tests.factories import make_endpoint, make_member, make_project, make_user

__all__ = ["own_slots"]

pytestmark = pytest.mark.django_db
HOME = "/administration/models/"
FORM = {
    "name": "cluster",
    "url": "http://127.0.0.1:9/v1",
    "backend": "vllm",
    "max_in_flight": "8",
    "timeout_seconds": "60",
    "prompt": "0.5",
    "completion": "1.5",
    "currency": "EUR",
}
ROLE = {
    "model": "judge",
    "temperature": "0.2",
    "max_tokens": "512",
    "thinking": "never",
    "thinking_tokens": "0",
    "output_mode": "explained",
}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with stub_server(tmp_path_factory.mktemp("stub") / "requests.jsonl") as running:
        yield running


@pytest.fixture
def root(client):
    client.force_login(make_user("root", is_superuser=True))
    return client


@pytest.fixture
def enqueued(django_capture_on_commit_callbacks):
    """Runs what a page enqueues, as a worker would."""
    return lambda: django_capture_on_commit_callbacks(execute=True)


def text(answer) -> str:
    return str(answer.content.decode())


@pytest.mark.usefixtures("own_slots")
def test_a_server_that_is_entered_is_probed_by_a_job(root, server, enqueued):
    with enqueued():
        root.post(f"{HOME}endpoints/new/", {**FORM, "url": server.base_url, "api_key": "s3cret"})

    made = ModelEndpoint.objects.get()
    assert (made.prices, api_key_of(made)) == (
        {"prompt": 0.5, "completion": 1.5, "currency": "EUR"},
        "s3cret",
    )
    assert Job.objects.get().state == "done"
    page = text(root.get(f"{HOME}endpoints/{made.pk}/"))
    assert re.search(r"32[,\u202f ]768", page)
    assert "answers" in page
    assert "s3cret" not in page


def test_a_server_that_does_not_answer_is_told_with_what_to_do(root, enqueued):
    made = make_endpoint(url="http://127.0.0.1:9/v1")

    with enqueued():
        root.post(f"{HOME}endpoints/{made.pk}/probe/")

    assert Job.objects.get().state == "failed"
    assert "cannot be used" in text(root.get(f"{HOME}endpoints/{made.pk}/"))


def test_while_a_probe_is_under_way_the_part_asks_again(root):
    made = make_endpoint()
    root.post(f"{HOME}endpoints/{made.pk}/probe/")

    part = text(root.get(f"{HOME}endpoints/{made.pk}/found/"))

    assert "every 2s" in part
    assert "No worker takes it" in part


def test_the_key_is_kept_when_the_field_is_empty_and_never_shown(root):
    made = services.create_endpoint(
        project=None, values={"name": "a", "url": "http://a/v1", "backend": "vllm"}, api_key="k3y"
    )

    root.post(f"{HOME}endpoints/{made.pk}/", {**FORM, "api_key": ""})
    made.refresh_from_db()
    assert (made.name, api_key_of(made)) == ("cluster", "k3y")
    assert "k3y" not in text(root.get(f"{HOME}endpoints/{made.pk}/"))

    root.post(f"{HOME}endpoints/{made.pk}/", {**FORM, "forget_key": "on"})
    made.refresh_from_db()
    assert api_key_of(made) == ""


def test_what_cannot_be_is_told_beside_what_was_typed(root):
    answer = root.post(f"{HOME}endpoints/new/", {**FORM, "url": "models.example"})

    assert answer.status_code == 422
    assert "no address of a model server" in text(answer)
    assert 'value="cluster"' in text(answer)


def test_the_environments_endpoint_is_marked_and_shows_no_fields_for_its_address(root):
    seeded = services.seed_models(
        {"LLM_BASE_URL": "http://127.0.0.1:9/v1", "LLM_MODEL": "m", "LLM_BACKEND": "vllm"}
    )
    assert seeded is not None

    page = text(root.get(f"{HOME}endpoints/{seeded.pk}/"))

    assert "environment" in text(root.get(HOME))
    assert 'name="url"' not in page
    assert 'name="max_in_flight"' in page


def test_switching_off_is_undone_by_the_toast(root):
    made = make_endpoint()

    page = text(root.post(f"{HOME}endpoints/{made.pk}/off/", follow=True))
    undo = re.search(r'action="([^"]+/on/)"', page)
    assert undo
    root.post(undo[1])

    made.refresh_from_db()
    assert made.disabled_at is None


def test_a_role_is_set_for_one_project(root):
    project, made = make_project("tides"), make_endpoint()

    root.post(f"{HOME}roles/judge/?project=tides", {**ROLE, "endpoint": made.pk})

    row = ModelRole.objects.get()
    assert (row.project, row.model, row.sampling["temperature"]) == (project, "judge", 0.2)
    assert "this project" in text(root.get("/p/tides/settings/models/"))


def test_the_defaults_of_a_model_are_filled_in_and_nothing_is_saved(root):
    made = make_endpoint()

    page = text(
        root.post(
            f"{HOME}roles/judge/",
            {"model": "Qwen3-8B", "endpoint": made.pk, "defaults": "1"},
        )
    )

    assert re.search(r'name="top_k"[^>]*value="20"|value="20"[^>]*name="top_k"', page)
    assert not ModelRole.objects.exists()


def test_a_role_that_cannot_be_is_told_in_the_form(root):
    made = make_endpoint()

    answer = root.post(f"{HOME}roles/judge/", {**ROLE, "endpoint": made.pk, "top_p": "2"})

    assert answer.status_code == 422
    assert "top_p" in text(answer)


def test_an_unknown_role_or_project_is_not_found(root):
    assert root.get(f"{HOME}roles/king/").status_code == 404
    assert root.get(f"{HOME}roles/judge/?project=none").status_code == 404


def test_a_reader_sees_what_plays_the_roles_and_no_address_or_act(client):
    project = make_project("tides")
    client.force_login(make_member(project, Role.REVIEWER))
    made = make_endpoint(name="cluster", url="http://hidden.example/v1")
    services.set_role(project=None, role="judge", endpoint=made, model="big")

    page = text(client.get("/p/tides/settings/models/"))

    assert "big" in page
    assert "hidden.example" not in page
    assert HOME not in page
    assert "Nobody" in page


def test_the_pages_take_the_same_queries_for_any_number_of_endpoints(
    root, django_assert_max_num_queries
):
    for _ in range(10):
        made = make_endpoint()
    for role in ModelRole.Name:
        services.set_role(project=None, role=role, endpoint=made, model="big")

    with django_assert_max_num_queries(8):
        root.get(HOME)
