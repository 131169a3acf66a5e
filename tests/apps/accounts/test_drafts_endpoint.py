"""Drafts over HTTP, as the script of the pages sends them."""

import json

import pytest

from apps.accounts.models import Role
from apps.activity.models import Draft
from tests.factories import make_member, make_project

pytestmark = pytest.mark.django_db
ADDRESS = "/p/tides/drafts/settings/"


@pytest.fixture
def member(client):
    client.force_login(make_member(make_project("tides"), Role.ANNOTATOR))
    return client


def put(client, body, version=0):
    said = body if isinstance(body, str) else json.dumps({"body": body, "version": version})
    return client.put(ADDRESS, data=said, content_type="application/json")


def test_a_draft_comes_back_as_it_was_kept(member):
    body = {"text": "שלום 你好 🌊", "boxes": ["a", "b"]}
    saved = put(member, body)

    found = member.get(ADDRESS).json()

    assert (saved.json()["version"], found["version"], found["body"]) == (1, 1, body)


def test_without_a_draft_there_is_none(member):
    assert member.get(ADDRESS).status_code == 404
    assert member.delete(ADDRESS).status_code == 404


def test_a_conflict_tells_both_texts(member):
    put(member, {"text": "theirs"})

    answer = put(member, {"text": "mine"})

    assert answer.status_code == 409
    assert (answer.json()["mine"], answer.json()["theirs"]) == (
        {"text": "mine"},
        {"text": "theirs"},
    )


def test_a_dropped_draft_is_gone(member):
    put(member, {"text": "mine"})

    assert member.delete(ADDRESS).status_code == 204
    assert not Draft.objects.exists()


@pytest.mark.parametrize(
    "body", ["", "{", "[]", '{"body": {}}', '{"body": {"a": 1}, "version": 0}', "\x00"]
)
def test_what_is_no_draft_is_refused_with_a_sentence(member, body):
    answer = put(member, body)

    assert answer.status_code == 422
    assert answer.json()["error"].startswith("The draft cannot be read")


def test_somebody_elses_draft_cannot_be_seen(member, client):
    put(member, {"text": "mine"})
    other = make_member(Draft.objects.get().project, Role.ADMIN)

    client.force_login(other)

    assert client.get(ADDRESS).status_code == 404
