"""People and projects of the installation, for who administers it."""

import re

import pytest
from django.test import Client

from apps.accounts import services
from apps.accounts.models import Role, User
from apps.activity.errors import Conflict
from apps.activity.models import AuditEvent
from tests.factories import make_member, make_project, make_user

pytestmark = pytest.mark.django_db
USERS = "/administration/users/"


@pytest.fixture
def root(client) -> User:
    user = make_user("root", is_superuser=True)
    client.force_login(user)
    return user


@pytest.fixture
def ben() -> User:
    return make_user("ben")


def text(answer) -> str:
    return str(answer.content.decode())


def act(client, user, name, **said):
    answer = client.post(f"{USERS}{user.pk}/{name}/", said)
    user.refresh_from_db()
    return answer


def test_nobody_else_gets_here(client, ben):
    client.force_login(make_member(make_project(), Role.ADMIN))

    for address in (USERS, f"{USERS}new/", f"{USERS}{ben.pk}/", "/administration/projects/"):
        assert client.get(address).status_code == 403


def test_a_created_user_comes_in_by_the_link_that_is_shown_once(client, root):
    page = text(client.post(f"{USERS}new/", {"username": "ada", "display_name": "Ada L."}))
    link = re.search(r'value="http://[^/"]+(/sign-in/link/[^"]+)"', page)
    assert link

    coming = Client()
    coming.post(link[1])

    assert coming.get("/account/").status_code == 200
    assert AuditEvent.objects.get(verb="user.created").actor == root


def test_a_name_that_is_taken_is_told_in_the_form(client, root, ben):
    answer = client.post(f"{USERS}new/", {"username": "ben"})

    assert answer.status_code == 422
    assert "already exists" in text(answer)


def test_who_is_switched_off_is_out_at_once_and_comes_back(client, root, ben):
    bens = Client()
    bens.force_login(ben)

    act(client, ben, "deactivate")
    assert bens.get("/account/").status_code == 302
    assert act(client, ben, "link").status_code == 422

    act(client, ben, "reactivate")
    assert ben.is_active
    assert bens.get("/account/").status_code == 200


@pytest.mark.parametrize("name", ["deactivate", "end-administrator"])
def test_the_last_administrator_stays(client, root, name):
    answer = act(client, root, name)

    assert answer.status_code == 409
    assert "only administrator" in text(answer)
    assert (root.is_active, root.is_superuser) == (True, True)


def test_an_administrator_is_made_only_when_the_name_was_typed(client, root, ben):
    assert act(client, ben, "make-administrator", typed="Ben").status_code == 422
    assert not ben.is_superuser

    act(client, ben, "make-administrator", typed="ben")
    assert ben.is_superuser
    act(client, ben, "end-administrator")
    assert not ben.is_superuser


def test_who_is_switched_off_cannot_administer(root):
    gone = make_user(is_active=False)

    with pytest.raises(Exception, match="reactivate"):
        services.make_site_admin(user=gone, actor=root)


def test_two_administrators_cannot_both_be_switched_off(root):
    other = make_user(is_superuser=True)
    services.deactivate_user(user=other, actor=root)

    with pytest.raises(Conflict):
        services.deactivate_user(user=root, actor=root)


@pytest.mark.parametrize(
    ("query", "found"), [("state=off", {"gone"}), ("state=admin", {"root"}), ("q=be", {"ben"})]
)
def test_the_list_is_narrowed_by_the_address(client, root, ben, query, found):
    make_user("gone", is_active=False)

    page = text(client.get(f"{USERS}?{query}"))

    assert set(re.findall(r"<bdi>(\w+)</bdi></a>", page)) == found


def test_the_lists_take_the_same_queries_for_any_number_of_rows(
    client, root, django_assert_max_num_queries
):
    for _ in range(20):
        make_member(make_project(), Role.AUTHOR)

    with django_assert_max_num_queries(4):
        client.get(USERS)
    with django_assert_max_num_queries(5):
        client.get("/administration/projects/")
