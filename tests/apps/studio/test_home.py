"""The first page: which projects there are, and how far each step is."""

import pytest
from django.test import Client

from apps.accounts.models import Role
from apps.studio import selectors
from tests.factories import (
    make_member,
    make_project,
    make_prompt,
    make_rollout,
    make_run,
    make_spec,
    make_user,
)

pytestmark = pytest.mark.django_db


def test_a_line_counts_each_step():
    project = make_project()
    first, _second = make_prompt(project), make_prompt(project)
    for _ in range(3):
        make_rollout(first)
    make_spec(first)
    make_spec(first)
    make_run(project)

    (line,) = selectors.project_lines(make_member(project, Role.AUTHOR))

    # Two versions of one prompt's spec are one spec.
    assert (line.prompts, line.specs, line.rollouts, line.runs) == (2, 1, 3, 1)
    assert (line.rewards, line.bundles) == (0, 0)


def test_a_person_sees_no_project_of_others(client):
    make_project("others-tides")
    client.force_login(make_member(make_project("mine"), Role.ANNOTATOR))

    page = client.get("/").content.decode()

    assert "mine" in page
    assert "others-tides" not in page


def test_who_administers_the_site_sees_every_project(client):
    make_project("tides")
    client.force_login(make_user(is_superuser=True))

    assert "tides" in client.get("/").content.decode()


def test_without_a_project_the_page_says_how_to_begin(client):
    client.force_login(make_user())

    assert "import_prompts" in client.get("/").content.decode()


def test_the_page_takes_the_same_queries_for_any_number_of_projects(django_assert_num_queries):
    user = make_user(is_superuser=True)
    client = Client()
    client.force_login(user)
    for number in range(30):
        make_prompt(make_project(f"project{number}"))

    # session, person, projects, counters, open jobs
    with django_assert_num_queries(5):
        client.get("/")


def test_names_keep_their_direction_and_their_characters(client):
    make_project("he", name='בדיקה <i>"')
    client.force_login(make_user(is_superuser=True))

    assert "<bdi>בדיקה &lt;i&gt;&quot;</bdi>" in client.get("/").content.decode()
