"""The pages by which people come in, as a browser uses them."""

import pytest
from django.test import Client
from django.urls import reverse

from apps.accounts import selectors, services
from apps.accounts.models import Role, SignInLink, User
from tests.factories import make_project, make_user

pytestmark = pytest.mark.django_db
PASSWORD = "a-long-secret-9"


def link_address(user: User) -> str:
    token = services.create_sign_in_link(user=user).token
    return reverse("accounts:sign_in_link", args=[token])


def invitation_address(project, *roles) -> str:
    token = services.create_invitation(project=project, roles=roles or [Role.AUTHOR]).token
    return reverse("accounts:invitation", args=[token])


def who(client: Client) -> str:
    return str(client.session.get("_auth_user_id", ""))


def test_a_name_and_password_let_a_person_in(client):
    user = services.create_user(username="mara", password=PASSWORD)

    response = client.post("/sign-in/", {"username": "mara", "password": PASSWORD})

    assert response["location"] == "/"
    assert who(client) == str(user.pk)


def test_a_wrong_password_says_so_and_lets_nobody_in(client):
    services.create_user(username="mara", password=PASSWORD)

    response = client.post("/sign-in/", {"username": "mara", "password": "wrong"})

    assert 'role="alert"' in response.content.decode()
    assert not who(client)


def test_signing_in_leads_to_no_other_site(client):
    services.create_user(username="mara", password=PASSWORD)

    response = client.post(
        "/sign-in/?next=https://evil.example/", {"username": "mara", "password": PASSWORD}
    )

    assert response["location"] == "/"


def test_looking_at_a_sign_in_link_spends_nothing(client):
    address = link_address(make_user())

    for _ in range(2):
        assert "Sign in" in client.get(address).content.decode()

    assert SignInLink.objects.get().used_at is None
    assert not who(client)


def test_pressing_the_button_of_a_sign_in_link_lets_in_once(client):
    user = make_user()
    address = link_address(user)

    first = client.post(address)
    second = Client().post(address)

    assert (first.status_code, who(client)) == (302, str(user.pk))
    assert second.status_code == 410
    assert "ask for a new one" in second.content.decode()


def test_an_unknown_link_is_gone(client):
    assert client.get("/sign-in/link/unknown/").status_code == 410


def test_signing_out_takes_a_button(client):
    client.force_login(make_user())

    assert client.get("/sign-out/").status_code == 405
    client.post("/sign-out/")
    assert not who(client)


def test_an_invitation_says_what_it_brings(client):
    address = invitation_address(make_project(name="Tides"), Role.REVIEWER)

    page = client.get(address).content.decode()

    assert "Join Tides" in page
    assert "Reviewer" in page


def test_a_new_person_joins_by_an_invitation(client):
    project = make_project()

    client.post(invitation_address(project), {"username": "mara", "password": PASSWORD})

    user = User.objects.get(username="mara")
    assert who(client) == str(user.pk)
    assert selectors.roles_of(user, project) == {Role.AUTHOR}


def test_a_weak_password_is_explained_and_the_invitation_stays_open(client):
    address = invitation_address(make_project())

    page = client.post(address, {"username": "mara", "password": "password"}).content.decode()

    assert "too common" in page
    assert 'value="mara"' in page
    assert client.get(address).status_code == 200


def test_who_is_signed_in_joins_as_themselves(client):
    project, user = make_project(), make_user()
    client.force_login(user)

    client.post(invitation_address(project))

    assert selectors.roles_of(user, project) == {Role.AUTHOR}


def test_a_spent_invitation_is_gone(client):
    address = invitation_address(make_project())
    client.post(address, {"username": "mara", "password": PASSWORD})

    assert Client().get(address).status_code == 410


def test_names_are_shown_as_they_were_typed(client):
    address = invitation_address(make_project(name="<b>Tides</b>"))

    page = client.get(address).content.decode()

    assert "&lt;b&gt;Tides&lt;/b&gt;" in page
    assert "<b>Tides" not in page
