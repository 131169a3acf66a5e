"""Help: how do I, the words of the house, the keys."""

import pytest
from django.test import Client

from apps.studio.glossary import glossary
from tests.factories import make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def page(client) -> str:
    client.force_login(make_user())
    return str(client.get("/help/").content.decode())


def test_every_step_of_the_flow_is_told(page):
    for step in ("Import prompts", "Make specs", "Import rollouts", "Judge", "freeze a bundle"):
        assert step in page


def test_the_words_are_those_of_the_glossary(page):
    meanings = dict(glossary())

    assert meanings["bundle"] == (
        "frozen specs and a reward configuration, known by the hash of their content"
    )
    assert meanings["bundle"] in page
    assert "word" not in meanings


def test_the_keys_of_the_navigation_are_told(page):
    assert "<kbd>g</kbd><kbd>p</kbd>" in page.replace("\n", "").replace(" ", "")


def test_nobody_reads_it_without_signing_in():
    assert Client().get("/help/").status_code == 302
