"""Importing rollouts on the pages: choose, say who answered, check, import."""

import json
import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from apps.accounts.models import Role
from apps.prompts.models import Import
from apps.rollouts.models import Rollout
from tests.factories import make_member, make_project, make_prompt

# Jobs run at once in tests; what they write is seen by another connection, which beats for them.
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def folder(settings, tmp_path):
    settings.UPLOADS_DIR = tmp_path / "uploads"


@pytest.fixture
def project():
    project = make_project("tides")
    make_prompt(project, "Why?", key="p1")
    return project


@pytest.fixture
def author(client, project):
    client.force_login(make_member(project, Role.AUTHOR))
    return client


def send(client, *rows, name="qwen-7b.step40.jsonl"):
    content = "".join(json.dumps(row) + "\n" for row in rows)
    file = SimpleUploadedFile(name, content.encode())
    return client.post("/p/tides/rollouts/import/", {"file": file}, follow=True)


def words(response):
    return " ".join(re.sub(r"<[^>]+>", " ", response.content.decode()).split())


def here(response):
    return response.request["PATH_INFO"]


def test_a_file_goes_from_the_form_to_rollouts_of_the_policy_that_was_said(author):
    looked = send(author, {"prompt_id": "p1", "response": "Tides."}, {"prompt_id": "p1"})
    assert 'value="qwen-7b"' in looked.content.decode()

    checked = author.post(
        f"{here(looked)}check/", {"format": "auto", "policy": " qwen "}, follow=True
    )
    assert "New 1 Identical 0 Changed 0 Rejected 1" in words(checked)
    assert not Rollout.objects.exists()

    done = author.post(f"{here(looked)}commit/", follow=True)
    assert "Imported as import" in words(done)
    assert Rollout.objects.get().policy.name == "qwen"
    assert Import.objects.filter(kind="rollouts").count() == 1


def test_the_first_rows_are_shown_with_what_would_be_rejected(author):
    page = words(send(author, {"prompt_id": "p1", "response": "Tides."}, {"prompt_id": "p1"}))

    assert "Tides." in page
    assert "Will be rejected" in page


def test_a_policy_needs_a_name(author):
    looked = send(author, {"prompt_id": "p1", "response": "Tides."})

    refused = author.post(f"{here(looked)}check/", {"format": "auto", "policy": "  "})

    assert refused.status_code == 422
    assert "This field is required" in refused.content.decode()


def test_a_row_without_a_prompt_of_the_project_is_listed(author):
    looked = send(author, {"prompt_id": "other", "response": "Tides."})

    checked = author.post(
        f"{here(looked)}check/", {"format": "auto", "policy": "qwen"}, follow=True
    )

    assert "New 0 Identical 0 Changed 0 Rejected 1" in words(checked)


def test_prompts_and_rollouts_that_were_sent_wait_apart(author):
    send(author, {"prompt_id": "p1", "response": "Tides."}, name="mine.jsonl")

    assert "mine.jsonl" in words(author.get("/p/tides/rollouts/import/"))
    assert "mine.jsonl" not in words(author.get("/p/tides/prompts/import/"))
