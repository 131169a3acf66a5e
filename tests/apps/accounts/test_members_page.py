"""Members of a project and the links that let others in, as an administrator uses the page."""

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from apps.accounts import selectors, services
from apps.accounts.models import Invitation, Role
from apps.activity.errors import Conflict
from apps.activity.models import AuditEvent
from tests.factories import make_member, make_project, make_user

pytestmark = pytest.mark.django_db
PAGE = "/p/tides/settings/members/"


@pytest.fixture
def project():
    return make_project("tides")


@pytest.fixture
def admin(client, project):
    client.force_login(make_member(project, Role.ADMIN, user=make_user("mara")))
    return client


@pytest.fixture
def author(project):
    return make_member(project, Role.AUTHOR, user=make_user("ben"))


def text(answer) -> str:
    return str(answer.content.decode())


def undo_address(page: str) -> str:
    found = re.search(r'action="([^"]+(?:undo|restore)/)"', page)
    assert found, "the toast offers no undo"
    return found[1]


def test_the_page_lists_members_with_their_roles(admin, author):
    page = text(admin.get(PAGE))

    assert "ben" in page
    assert f'id="roles-{author.pk}"' in page


def test_who_is_no_administrator_reads_and_changes_nothing(client, project, author):
    client.force_login(author)

    page = text(client.get(PAGE))

    assert "Author" in page
    assert "<form class=" not in page
    assert client.post(f"{PAGE}{author.pk}/remove/").status_code == 403


def test_the_roles_that_are_ticked_are_the_roles_held(admin, project, author):
    admin.post(f"{PAGE}{author.pk}/roles/", {"roles": ["reviewer", "auditor"]})

    assert selectors.roles_of(author, project) == {Role.REVIEWER, Role.AUDITOR}


@pytest.mark.parametrize("roles", [[], ["king"]])
def test_no_role_or_an_unknown_one_changes_nothing(admin, project, author, roles):
    answer = admin.post(f"{PAGE}{author.pk}/roles/", {"roles": roles})

    assert answer.status_code == 422
    assert selectors.roles_of(author, project) == {Role.AUTHOR}


@pytest.mark.parametrize("act", ["roles", "remove"])
def test_the_last_administrator_stays_and_is_told_why(admin, project, act):
    mara = project.memberships.get().user

    answer = admin.post(f"{PAGE}{mara.pk}/{act}/", {"roles": ["author"]})

    assert answer.status_code == 409
    assert "only administrator" in text(answer)
    assert selectors.roles_of(mara, project) == {Role.ADMIN}


def test_an_administrator_who_is_switched_off_does_not_count(admin, project):
    make_member(project, Role.ADMIN, user=make_user("gone", is_active=False))
    mara = project.memberships.get(user__username="mara").user

    assert admin.post(f"{PAGE}{mara.pk}/remove/").status_code == 409


def test_a_removed_member_comes_back_by_undo_with_the_same_roles(admin, project, author):
    services.grant_role(project=project, user=author, role=Role.REVIEWER)

    page = text(admin.post(f"{PAGE}{author.pk}/remove/", follow=True))
    assert selectors.roles_of(author, project) == frozenset()
    admin.post(undo_address(page))

    assert selectors.roles_of(author, project) == {Role.AUTHOR, Role.REVIEWER}


def test_a_removal_of_long_ago_cannot_be_undone(project, author):
    removal = services.remove_member(project=project, user=author)
    removal.at -= timedelta(hours=1)

    with pytest.raises(Conflict, match="too long ago"):
        services.restore_member(project=project, removal=removal)


def test_only_a_removal_can_be_undone(admin, project):
    other = AuditEvent.objects.create(project=project, verb="project.changed", target_id="1")

    assert admin.post(f"{PAGE}removals/{other.pk}/undo/").status_code == 422


def test_an_invitation_is_shown_once_and_lets_somebody_in(admin, project):
    made = text(admin.post(f"{PAGE}invite/", {"roles": ["reviewer"], "days": "1", "note": "Ada"}))
    link = re.search(r'value="http://[^/"]+(/invitations/[^"]+)"', made)
    assert link

    joining = Client()
    joining.post(link[1], {"username": "ada", "password": "a-long-secret-9"})

    invitation = Invitation.objects.get()
    assert invitation.expires_at < timezone.now() + timedelta(days=1, minutes=1)
    assert link[1] not in text(admin.get(PAGE))
    assert invitation.accepted_by
    assert selectors.roles_of(invitation.accepted_by, project) == {Role.REVIEWER}


def test_an_invitation_without_a_role_is_refused_in_the_form(admin):
    answer = admin.post(f"{PAGE}invite/", {"days": "7", "note": "typed already"})

    assert answer.status_code == 422
    assert "typed already" in text(answer)


def test_a_withdrawn_invitation_is_gone_and_comes_back_by_undo(admin, project):
    created = services.create_invitation(project=project, roles=[Role.AUTHOR])
    address = f"{PAGE}invitations/{created.invitation.pk}/"

    page = text(admin.post(f"{address}revoke/", follow=True))
    assert not selectors.open_invitations(created.token).exists()
    admin.post(undo_address(page))

    assert selectors.open_invitations(created.token).exists()


def test_an_accepted_invitation_is_not_withdrawn(admin, project):
    created = services.create_invitation(project=project, roles=[Role.AUTHOR])
    services.accept_invitation(token=created.token, user=make_user())

    assert admin.post(f"{PAGE}invitations/{created.invitation.pk}/restore/").status_code == 409


def test_the_page_takes_the_same_queries_for_any_number_of_members(
    admin, project, django_assert_max_num_queries
):
    for _ in range(20):
        make_member(project, Role.AUTHOR, Role.REVIEWER)
        services.create_invitation(project=project, roles=[Role.AUTHOR])

    with django_assert_max_num_queries(8):
        admin.get(PAGE)
