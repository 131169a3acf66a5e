"""What cannot be answered gets a sentence: a page for people, JSON for programs."""

import pytest
from ninja.errors import HttpError, ValidationError

from apps.accounts import access
from apps.activity.errors import BadInput, Blocked, Conflict, NotAllowed
from rubricstudio.api import api
from rubricstudio.core.errors import SpecError
from tests.factories import make_project, make_token, make_user

pytestmark = pytest.mark.django_db


def answer(rf, error):
    return api.on_exception(rf.get("/api/v1/"), error)


@pytest.mark.parametrize(
    ("error", "status"), [(NotAllowed, 403), (Conflict, 409), (BadInput, 422), (Blocked, 503)]
)
def test_a_refused_act_is_told_with_its_status(rf, error, status):
    response = answer(rf, error("The file is empty.", line=3))

    assert response.status_code == status
    assert response.content == b'{"error": "The file is empty.", "line": 3}'


def test_a_value_that_the_core_refuses_is_bad_input(rf):
    assert answer(rf, SpecError("a weight is above 0")).status_code == 422


def test_each_flaw_of_a_request_names_its_place(rf):
    flaw = {"loc": ("query", "limit"), "msg": "Input should be a valid integer", "type": "x"}

    response = answer(rf, ValidationError([flaw]))

    assert response.status_code == 422
    assert b'"limit: Input should be a valid integer"' in response.content


def test_an_error_of_the_protocol_keeps_its_status(rf):
    response = answer(rf, HttpError(400, "Cannot parse request body"))

    assert (response.status_code, response.content) == (
        400,
        b'{"error": "Cannot parse request body"}',
    )


def test_an_unknown_address_of_the_api_is_json(client):
    response = client.get("/api/v1/nothing")

    assert response.status_code == 404
    assert response.json()["error"]


def test_an_unknown_page_is_a_page(client):
    response = client.get("/nothing/")

    assert response.status_code == 404
    assert "There is nothing here" in response.content.decode()


def test_a_page_beyond_a_persons_rights_says_whom_to_ask(client, monkeypatch):
    only_admins = access.Policy(access.Kind.SITE_ADMIN)
    monkeypatch.setattr(access, "policy_of", lambda _view, _method: only_admins)
    client.force_login(make_user())

    response = client.get("/")

    assert response.status_code == 403
    assert "ask an administrator" in response.content.decode()


def test_a_call_that_is_too_large_is_told_the_limit(client, settings):
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 1024**2
    token = make_token(make_project("tides")).plaintext

    response = client.post(
        "/api/v1/projects/tides/runs",
        data=b'"' + b"x" * 2 * 1024**2 + b'"',
        content_type="application/json",
        headers={"authorization": f"Bearer {token}"},
    )

    assert response.status_code == 413
    assert response.json()["error"] == "The request is larger than 1 MiB: send it in parts."


def test_a_form_that_is_too_large_is_told_the_limit(client, settings):
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 1024**2

    response = client.post(
        "/sign-in/",
        data="username=" + "x" * 2 * 1024**2,
        content_type="application/x-www-form-urlencoded",
    )

    assert response.status_code == 413
    assert "larger than 1 MiB" in response.content.decode()


def test_what_breaks_is_a_sentence_without_its_inside(client, monkeypatch):
    def broken(*_arguments):
        raise RuntimeError("secret inside")

    monkeypatch.setattr("apps.studio.selectors.project_lines", broken)
    client.force_login(make_user())
    client.raise_request_exception = False

    response = client.get("/")

    assert response.status_code == 500
    assert "secret" not in response.content.decode()
    assert "Something broke" in response.content.decode()


def test_the_api_describes_itself_without_another_site(client):
    page = client.get("/api/v1/docs").content.decode()
    schema = client.get("/api/v1/openapi.json").json()

    assert "//cdn" not in page
    assert schema["info"]["title"] == "Rubric Studio"
    assert "/api/v1/projects/{slug}" in schema["paths"]
    assert schema["components"]["securitySchemes"]["Admitted"]["scheme"] == "bearer"


def test_the_bare_address_of_the_api_leads_to_its_description(client):
    assert client.get("/api/v1/")["location"] == "/api/v1/docs"
