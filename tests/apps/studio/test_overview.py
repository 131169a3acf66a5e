"""The overview of a project: where it stands, what waits, what changed, what happened."""

import pytest
from django.test import Client

from apps.accounts.models import Role
from apps.activity import services as activity
from tests.factories import (
    make_bundle,
    make_member,
    make_project,
    make_prompt,
    make_run,
    make_spec,
)

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}


@pytest.fixture
def project():
    return make_project("tides", name="Tides", description="Why the sea moves.")


def page_for(project, *roles, address="", **headers) -> str:
    client = Client(headers=headers)
    client.force_login(make_member(project, *roles))
    return str(client.get(f"/p/{project.slug}/{address}").content.decode())


def test_an_empty_project_shows_an_author_the_one_thing_to_do(project):
    page = page_for(project, Role.AUTHOR)

    assert "Import prompts <kbd>Enter</kbd>" in page
    assert "Why the sea moves." in page
    assert page.count('class="blocks"') == 1


def test_who_only_reads_is_not_asked_to_act(project):
    assert "<kbd>Enter</kbd>" not in page_for(project, Role.AUDITOR)


def test_what_waits_comes_before_the_next_step(project):
    make_run(project, state="paused", block_reason="No quota.")

    page = page_for(project, Role.AUTHOR)

    assert "Decide <kbd>Enter</kbd>" in page
    assert page.count('data-key="Enter"') == 1


def test_the_last_bundle_asks_for_what_changed_when_the_page_is_there(project):
    make_bundle(project)

    page = page_for(project, Role.AUTHOR)

    assert 'hx-get="/p/tides/since/"' in page
    assert "Verdicts of a text that changed" in page_for(
        project, Role.AUTHOR, address="since/", **HTMX
    )


def test_what_changed_is_a_page_too(project):
    make_bundle(project)

    assert "<html" in page_for(project, Role.AUTHOR, address="since/")


def test_without_a_bundle_nothing_is_compared(project):
    assert "None was frozen yet." in page_for(project, Role.AUTHOR, address="since/")


def test_recent_activity_names_people_and_links_things(project):
    actor = make_member(project, Role.AUTHOR)
    activity.record(verb="run.paused", target=make_run(project), project=project, actor=actor)

    page = page_for(project, Role.AUDITOR)

    assert "Today" in page
    assert f">{actor}</bdi>" in page
    assert "paused <a href=" in page


def test_who_only_votes_gets_a_short_page(project):
    make_run(project, state="paused")

    page = page_for(project, Role.ANNOTATOR)

    assert "Nothing to vote on" in page
    assert "paused" not in page
    assert "/p/tides/audit/" not in page


def test_the_page_takes_the_same_queries_for_any_number_of_things(
    project, django_assert_max_num_queries
):
    client = Client()
    client.force_login(make_member(project, Role.AUTHOR, Role.REVIEWER))
    for _ in range(10):
        spec = make_spec(make_prompt(project), state="in_review")
        activity.record(verb="spec.saved", target=spec, project=project)

    with django_assert_max_num_queries(20):
        client.get("/p/tides/")
