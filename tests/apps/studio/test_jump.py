"""The jump palette: a page, a project, a thing by its number, words of a prompt."""

import pytest

from apps.accounts.models import Role
from apps.studio.selectors import numbered, prompts_with
from tests.factories import (
    make_bundle,
    make_member,
    make_project,
    make_prompt,
    make_reward_run,
    make_rollout,
    make_run,
    make_spec,
)

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}


@pytest.fixture
def project():
    return make_project("tides", name="Tides")


@pytest.fixture
def reader(client, project):
    client.force_login(make_member(project, Role.AUTHOR))
    return client


@pytest.fixture
def filled(project):
    prompt = make_prompt(project, "Why does the sea have tides?")
    make_spec(prompt)
    make_spec(prompt)
    make_rollout(prompt)
    make_reward_run(make_run(project))
    make_bundle(project)
    return project


def labels(text, *projects):
    return [one.label for one in numbered(text, projects)]


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("prompt 1", "prompt 1"),
        ("Spec 1", "spec 1 v2"),
        ("spec 1 v1", "spec 1 v1"),
        ("rollout #1", "rollout 1"),
        ("bundle1", "bundle 1"),
        ("run 1", "run 1"),
        ("reward run 1", "reward run 1"),
    ],
)
def test_a_kind_and_a_number_name_one_thing(filled, text, label):
    assert labels(text, filled) == [label]


def test_a_number_alone_names_what_has_it(filled):
    assert labels("1", filled) == [
        "prompt 1",
        "spec 1 v2",
        "rollout 1",
        "run 1",
        "reward run 1",
        "bundle 1",
    ]


@pytest.mark.parametrize("text", ["2", "run 2", "run one", "9" * 30, ""])
def test_what_is_not_there_is_not_found(filled, text):
    assert labels(text, filled) == []


def test_nothing_of_another_project_is_found(filled):
    assert labels("1", make_project()) == []


def test_prompts_are_found_by_words_with_a_way_to_search_them_all(filled):
    first, every = prompts_with("sea tides", filled)

    assert (first.label, first.hint) == ("Why does the sea have tides?", "prompt 1")
    assert every.address == "/p/tides/prompts/?q=sea+tides"


def test_htmx_gets_the_list_alone(reader):
    page = reader.get("/jump/?q=rewards&project=tides", headers=HTMX).content.decode()

    assert "<html" not in page
    assert 'href="/p/tides/rewards/"' in page


def test_it_is_a_page_without_a_script(reader, filled):
    page = reader.get("/jump/?q=run+1").content.decode()

    assert "<html" in page
    assert "/p/tides/runs/" in page
    assert 'value="run 1"' in page


def test_without_text_the_pages_of_the_project_are_listed(reader):
    page = reader.get("/jump/?project=tides", headers=HTMX).content.decode()

    assert 'href="/p/tides/audit/"' in page
    assert 'href="/jobs/"' in page


def test_a_project_is_found_by_its_name(reader):
    assert 'href="/p/tides/"' in reader.get("/jump/?q=tid", headers=HTMX).content.decode()


def test_nothing_leads_where_a_person_may_not_look(client, filled):
    """Who votes may open no run, and a project of others has no name here."""
    make_run(make_project("secret", name="Secret"))
    client.force_login(make_member(filled, Role.ANNOTATOR))

    for text in ("run 1", "secret", "sea"):
        page = client.get(f"/jump/?q={text}&project=tides", headers=HTMX).content.decode()
        assert "Nothing is called" in page


def test_what_cannot_be_a_name_is_no_error(reader):
    for text in ("%00", "x" * 5000, "\u202e", "%25"):
        assert reader.get(f"/jump/?q={text}").status_code == 200
