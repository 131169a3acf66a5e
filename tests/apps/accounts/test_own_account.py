"""What a person changes about themselves."""

import pytest
from django.test import Client

from apps.accounts import services
from apps.accounts.models import Role, User
from tests.factories import make_member, make_project, make_token

pytestmark = pytest.mark.django_db
PASSWORD, NEW = "a-long-secret-9", "another-long-secret-8"


@pytest.fixture
def mara() -> User:
    return services.create_user(username="mara", password=PASSWORD)


@pytest.fixture
def signed_in(client: Client, mara: User) -> Client:
    client.post("/sign-in/", {"username": "mara", "password": PASSWORD})
    return client


def is_signed_in(client: Client) -> bool:
    return client.get("/account/").status_code == 200


def text(answer) -> str:
    return str(answer.content.decode())


def test_the_page_shows_my_projects_and_tokens_only(signed_in, mara):
    project = make_project(name="Tides")
    make_member(project, Role.AUTHOR, user=mara)
    make_token(project, created_by=mara)
    other = make_token(make_project(name="Hidden"))

    page = text(signed_in.get("/account/"))

    assert "Tides" in page
    assert other.token.prefix not in page
    assert "Hidden" not in page


def test_my_name_is_what_others_read(signed_in, mara):
    signed_in.post("/account/profile/", {"display_name": "Mara <3", "language": "en"})

    mara.refresh_from_db()
    assert (str(mara), mara.language) == ("Mara <3", "en")
    assert signed_in.cookies["django_language"].value == "en"


def test_a_browser_that_the_person_signs_in_from_speaks_their_language(mara):
    services.change_profile(user=mara, display_name="Mara", language="en")

    another, by_link = Client(), Client()
    another.post("/sign-in/", {"username": "mara", "password": PASSWORD})
    by_link.post(f"/sign-in/link/{services.create_sign_in_link(user=mara).token}/")

    assert another.cookies["django_language"].value == "en"
    assert by_link.cookies["django_language"].value == "en"


def test_the_language_of_whoever_signed_in_before_is_forgotten(client, mara):
    client.cookies["django_language"] = "en"

    client.post("/sign-in/", {"username": "mara", "password": PASSWORD})

    assert client.cookies["django_language"].value == ""


def test_an_unknown_language_is_refused(signed_in):
    answer = signed_in.post("/account/profile/", {"language": "tlh"})

    assert answer.status_code == 422


def test_a_new_password_keeps_this_session_and_ends_the_others(signed_in, mara):
    elsewhere = Client()
    elsewhere.force_login(mara)

    signed_in.post("/account/password/", {"current": PASSWORD, "new": NEW})

    mara.refresh_from_db()
    assert mara.check_password(NEW)
    assert is_signed_in(signed_in)
    assert not is_signed_in(elsewhere)


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ({"current": "wrong", "new": NEW}, "another one"),
        ({"current": PASSWORD, "new": "password"}, "too common"),
        ({"new": NEW}, "required"),
    ],
)
def test_a_password_is_not_changed_without_the_current_one_or_to_a_weak_one(
    signed_in, mara, said, reason
):
    answer = signed_in.post("/account/password/", said)

    mara.refresh_from_db()
    assert answer.status_code == 422
    assert reason in text(answer)
    assert mara.check_password(PASSWORD)


def test_who_came_by_a_link_sets_a_first_password(client):
    ben = services.create_user(username="ben")
    client.force_login(ben)

    assert "Current password" not in text(client.get("/account/"))
    client.post("/account/password/", {"new": NEW})

    ben.refresh_from_db()
    assert ben.check_password(NEW)


def test_signing_out_everywhere_ends_every_session_and_lets_in_again(signed_in, mara):
    elsewhere = Client()
    elsewhere.force_login(mara)

    signed_in.post("/account/sessions/end/")

    assert not is_signed_in(signed_in)
    assert not is_signed_in(elsewhere)
    signed_in.post("/sign-in/", {"username": "mara", "password": PASSWORD})
    assert is_signed_in(signed_in)
