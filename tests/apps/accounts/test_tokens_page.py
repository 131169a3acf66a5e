"""API tokens of a project, as an administrator makes and ends them."""

import re

import pytest

from apps.accounts import services
from apps.accounts.models import ApiToken, Role
from tests.factories import make_member, make_project, make_token

pytestmark = pytest.mark.django_db
PAGE = "/p/tides/settings/tokens/"
WANTED = {"name": "Trainer <A>", "scopes": ["bundles:read", "score"], "days": "30"}


@pytest.fixture
def project():
    return make_project("tides")


@pytest.fixture
def admin(client, project):
    client.force_login(make_member(project, Role.ADMIN))
    return client


def text(answer) -> str:
    return str(answer.content.decode())


def test_a_new_token_is_shown_once_and_works(admin):
    made = text(admin.post(PAGE, WANTED))
    secret = re.search(r'value="(rs_[^"]+)"', made)
    assert secret

    token = services.authenticate_token(secret[1])
    assert token is not None
    assert (token.name, token.scopes) == ("Trainer <A>", ["bundles:read", "score"])
    assert secret[1] not in text(admin.get(PAGE))


def test_a_token_may_have_no_end(admin):
    admin.post(PAGE, {**WANTED, "days": ""})

    assert ApiToken.objects.get().expires_at is None


@pytest.mark.parametrize("change", [{"name": ""}, {"scopes": []}, {"scopes": ["all"]}])
def test_a_token_without_a_name_or_a_known_scope_is_refused(admin, change):
    answer = admin.post(PAGE, {**WANTED, **change})

    assert answer.status_code == 422
    assert not ApiToken.objects.exists()


def test_a_token_is_revoked_only_when_its_name_was_typed(admin, project):
    token = make_token(project).token
    address = f"{PAGE}{token.pk}/revoke/"

    assert "cannot be undone" in text(admin.get(address))
    wrong = admin.post(address, {"typed": "another"})
    token.refresh_from_db()
    assert (wrong.status_code, token.revoked_at) == (422, None)

    admin.post(address, {"typed": "test"})
    token.refresh_from_db()
    assert token.revoked_at is not None


def test_who_is_no_administrator_sees_no_tokens(client, project):
    client.force_login(make_member(project, Role.AUTHOR, Role.REVIEWER))

    assert client.get(PAGE).status_code == 403
    assert "API tokens" not in text(client.get("/p/tides/settings/"))
