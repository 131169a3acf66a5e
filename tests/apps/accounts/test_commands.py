"""Each command prints one JSON object as its last line."""

import io
import json

import pytest
from django.core.management import call_command
from django.test import Client

from apps.accounts import selectors, services
from apps.accounts.models import Role, User
from tests.factories import make_project

pytestmark = pytest.mark.django_db


def run(*arguments):
    output = io.StringIO()
    call_command(*arguments, stdout=output, stderr=io.StringIO())
    return json.loads(output.getvalue().splitlines()[-1])


def fail(*arguments):
    output = io.StringIO()
    with pytest.raises(SystemExit) as ended:
        call_command(*arguments, stdout=output, stderr=io.StringIO())
    return ended.value.code, json.loads(output.getvalue().splitlines()[-1])


@pytest.mark.parametrize("arguments", [[], ["--first-admin"]])
def test_signin_link_lets_the_first_administrator_in(arguments, settings):
    settings.SITE_URL = "http://studio.example:8000/"

    printed = run("signin_link", *arguments)

    assert printed["user"] == "admin"
    path = printed["url"].removeprefix("http://studio.example:8000")
    assert Client().post(path)["location"] == "/"


def test_signin_link_is_for_whom_it_names():
    services.create_user(username="mara")

    assert run("signin_link", "--user", "mara")["user"] == "mara"


def test_signin_link_for_nobody_known_says_so():
    code, printed = fail("signin_link", "--user", "nobody")

    assert (code, printed["url"]) == (1, None)
    assert "nobody" in printed["error"]


def test_create_user_prints_a_link_that_lets_them_in():
    printed = run("create_user", "mara", "--display-name", "Mara")

    path = printed["url"].partition("8000")[2]
    assert Client().post(path).status_code == 302
    assert str(User.objects.get()) == "Mara"


def test_create_user_takes_a_password_from_standard_input(monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("a-long-secret-9\n"))

    printed = run("create_user", "mara", "--password-stdin")

    assert printed == {"user": "mara", "url": None}
    assert User.objects.get().check_password("a-long-secret-9")


def test_create_user_gives_roles():
    project = make_project("tides")

    run("create_user", "mara", "--project", "tides", "--role", "author", "--role", "reviewer")

    user = User.objects.get()
    assert selectors.roles_of(user, project) == {Role.AUTHOR, Role.REVIEWER}


def test_create_user_creates_nobody_when_the_project_is_unknown():
    code, printed = fail("create_user", "mara", "--project", "tides", "--role", "author")

    assert (code, printed["user"]) == (1, None)
    assert not User.objects.exists()


def test_create_token_prints_a_token_that_works():
    make_project("tides")

    printed = run(
        *("create_token", "--project", "tides"),
        *("--scope", "bundles:read", "score", "--scope", "rewards:read,runs:read"),
    )

    token = services.authenticate_token(printed["token"])
    assert token is not None
    assert token.scopes == ["bundles:read", "score", "rewards:read", "runs:read"]
    assert printed["expires_at"] is None


def test_create_token_names_the_scopes_when_one_is_unknown():
    make_project("tides")

    code, printed = fail("create_token", "--project", "tides", "--scope", "all")

    assert (code, printed["token"]) == (1, None)
    assert "bundles:read" in printed["error"]
