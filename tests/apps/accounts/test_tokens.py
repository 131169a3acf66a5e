"""API tokens: shown once, stored as a hash, noted when used."""

from datetime import timedelta

import pytest
from django.utils import timezone

from apps.accounts import services
from apps.accounts.models import ApiToken, Scope
from apps.activity.errors import BadInput
from apps.activity.models import AuditEvent
from tests.factories import make_project, make_token

pytestmark = pytest.mark.django_db


def test_the_plain_text_is_nowhere_in_the_database():
    created = make_token(make_project())

    row = ApiToken.objects.values().get(pk=created.token.pk)
    trail = AuditEvent.objects.get(verb="token.created")
    assert created.plaintext not in f"{row} {trail.detail}"
    assert created.plaintext.startswith(row["prefix"])


def test_a_token_is_found_by_its_plain_text():
    created = make_token(make_project())

    assert services.authenticate_token(created.plaintext) == created.token


@pytest.mark.parametrize("plaintext", ["", "rs_", "\ud800", "x" * 10_000])
def test_nonsense_is_no_token(plaintext):
    assert services.authenticate_token(plaintext) is None


@pytest.mark.parametrize("scopes", [[], ["everything"], [Scope.SCORE, "prompts:delete"]])
def test_a_token_needs_known_scopes(scopes):
    with pytest.raises(BadInput, match="prompts:read"):
        services.create_token(project=make_project(), name="x", scopes=scopes)


def test_a_revoked_token_opens_nothing_and_the_trail_says_so_once():
    created = make_token(make_project())

    for _ in range(2):
        services.revoke_token(token=created.token)

    assert services.authenticate_token(created.plaintext) is None
    assert AuditEvent.objects.filter(verb="token.revoked").count() == 1


def test_the_last_use_is_written_once_a_minute_at_most(django_assert_num_queries):
    created = make_token(make_project())
    services.authenticate_token(created.plaintext)

    with django_assert_num_queries(1):
        services.authenticate_token(created.plaintext)


def test_the_last_use_is_written_again_after_a_minute():
    created = make_token(make_project())
    before = timezone.now() - timedelta(seconds=61)
    ApiToken.objects.filter(pk=created.token.pk).update(last_used_at=before)

    services.authenticate_token(created.plaintext)

    created.token.refresh_from_db()
    assert created.token.last_used_at is not None
    assert created.token.last_used_at > before
