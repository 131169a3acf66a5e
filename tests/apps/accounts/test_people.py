"""People, their roles, and the ways in: links and invitations."""

from datetime import timedelta

import pytest
from django.utils import timezone

from apps.accounts import selectors, services
from apps.accounts.models import Invitation, Role, SignInLink, User
from apps.activity.errors import BadInput, Conflict
from apps.activity.models import AuditEvent
from tests.factories import make_member, make_project, make_user

pytestmark = pytest.mark.django_db


def test_a_person_without_a_password_has_none_that_works():
    user = services.create_user(username="mara")

    assert not user.has_usable_password()


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ({"username": "mara"}, "already exists"),
        ({"username": "a b"}, "valid username"),
        ({"username": ""}, "blank"),
        ({"username": "new", "password": "12345678"}, "common"),
        ({"username": "somebody", "password": "somebody1"}, "similar"),
    ],
)
def test_a_person_that_cannot_be_is_refused_with_a_sentence(values, reason):
    make_user("mara")

    with pytest.raises(BadInput, match=reason):
        services.create_user(**values)


def test_roles_add_up_and_are_told_once():
    project, user = make_project(), make_user()

    for role in (Role.AUTHOR, Role.REVIEWER, Role.AUTHOR):
        services.grant_role(project=project, user=user, role=role)

    assert selectors.roles_of(user, project) == {Role.AUTHOR, Role.REVIEWER}
    assert AuditEvent.objects.filter(verb="member.role_granted").count() == 2


def test_a_role_that_was_taken_away_is_gone():
    project = make_project()
    user = make_member(project, Role.AUTHOR, Role.REVIEWER)

    services.revoke_role(project=project, user=user, role=Role.AUTHOR)

    assert selectors.roles_of(user, project) == {Role.REVIEWER}


def test_the_last_administrator_of_a_project_stays():
    project = make_project()
    user = make_member(project, Role.ADMIN)

    with pytest.raises(Conflict, match="only administrator"):
        services.revoke_role(project=project, user=user, role=Role.ADMIN)


def test_an_outsider_has_no_role():
    assert selectors.roles_of(make_user(), make_project()) == frozenset()


def test_a_person_sees_only_their_projects():
    mine, _other = make_project(), make_project()
    user = make_member(mine, Role.AUTHOR, Role.ADMIN)

    assert list(selectors.projects_seen_by(user)) == [mine]


def test_a_sign_in_link_works_once():
    user = make_user()
    token = services.create_sign_in_link(user=user).token

    assert services.use_sign_in_link(token=token) == user
    with pytest.raises(Conflict, match="ask for a new one"):
        services.use_sign_in_link(token=token)


def test_a_sign_in_link_expires():
    token = services.create_sign_in_link(user=make_user()).token
    SignInLink.objects.update(expires_at=timezone.now() - timedelta(seconds=1))

    with pytest.raises(Conflict):
        services.use_sign_in_link(token=token)


def test_a_person_who_is_switched_off_cannot_use_a_link():
    user = make_user()
    token = services.create_sign_in_link(user=user).token
    User.objects.update(is_active=False)

    with pytest.raises(Conflict):
        services.use_sign_in_link(token=token)


def test_the_token_of_a_link_is_not_stored():
    token = services.create_sign_in_link(user=make_user()).token

    assert token not in str(SignInLink.objects.values().get())


def test_the_first_administrator_is_created_once():
    first = services.create_first_admin_link()
    second = services.create_first_admin_link()

    assert first.link.user == second.link.user
    assert User.objects.get().is_superuser


def test_a_new_link_of_the_first_administrator_replaces_the_ones_before():
    somebody = services.create_sign_in_link(user=make_user())
    first, second = [services.create_first_admin_link() for _ in range(2)]

    with pytest.raises(Conflict):
        services.use_sign_in_link(token=first.token)

    assert services.use_sign_in_link(token=second.token) == first.link.user
    assert services.use_sign_in_link(token=somebody.token) == somebody.link.user


def test_a_used_link_of_the_first_administrator_stays_used():
    token = services.create_first_admin_link().token
    services.use_sign_in_link(token=token)
    expiry = SignInLink.objects.get().expires_at

    services.create_first_admin_link()

    assert SignInLink.objects.get(used_at__isnull=False).expires_at == expiry


def test_an_invitation_brings_its_roles_and_is_spent():
    project = make_project()
    roles = [Role.AUTHOR, Role.ANNOTATOR]
    token = services.create_invitation(project=project, roles=roles).token
    user = make_user()

    services.accept_invitation(token=token, user=user)

    assert selectors.roles_of(user, project) == set(roles)
    with pytest.raises(Conflict):
        services.accept_invitation(token=token, user=make_user())


def test_a_withdrawn_invitation_lets_nobody_in():
    created = services.create_invitation(project=make_project(), roles=[Role.AUTHOR])

    services.revoke_invitation(invitation=created.invitation)

    with pytest.raises(Conflict, match="withdrawn"):
        services.accept_invitation(token=created.token, user=make_user())


def test_nobody_is_created_by_an_invitation_that_does_not_hold():
    with pytest.raises(Conflict):
        services.register_and_accept(token="unknown", username="eve", password="a-long-secret-9")

    assert not User.objects.filter(username="eve").exists()


@pytest.mark.parametrize("roles", [[], ["owner"]])
def test_an_invitation_needs_known_roles(roles):
    with pytest.raises(BadInput, match="annotator"):
        services.create_invitation(project=make_project(), roles=roles)

    assert not Invitation.objects.exists()
