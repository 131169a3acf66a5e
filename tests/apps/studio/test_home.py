"""The first pages: what waits, and which projects there are with the flow of each."""

import pytest
from django.test import Client
from django.utils import timezone

from apps.accounts.models import Project, Role
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


@pytest.fixture
def admin(client):
    client.force_login(make_user(is_superuser=True))
    return client


def text(client, address="/") -> str:
    return str(client.get(address).content.decode())


def test_a_line_counts_each_step():
    project = make_project()
    first, _second = make_prompt(project), make_prompt(project)
    for _ in range(3):
        make_rollout(first)
    make_spec(first)
    make_spec(first)
    make_run(project, state="paused")

    (line,) = selectors.project_lines([project])

    # Two versions of one prompt's spec are one spec.
    assert [(step.key, step.short) for step in line.steps] == [
        ("prompts", "2"),
        ("specs", "1"),
        ("rollouts", "3"),
        ("runs", "1 paused"),
        ("rewards", "0"),
        ("bundles", "0"),
    ]


def test_a_line_tells_of_the_same_as_the_navigation():
    project = make_project()
    make_spec(make_prompt(project), state="in_review")
    make_run(project)
    make_prompt(make_project())

    (line,) = selectors.project_lines([project])

    assert line.steps == selectors.standing(project, make_user()).steps


def test_a_person_sees_no_project_of_others(client):
    make_project("others-tides")
    client.force_login(make_member(make_project("mine"), Role.ANNOTATOR))

    page = text(client)

    assert "mine" in page
    assert "others-tides" not in page


def test_who_administers_the_site_sees_every_project(admin):
    make_project("tides")

    assert "tides" in text(admin)


def test_without_a_project_the_page_says_how_to_begin(client):
    client.force_login(make_user())

    assert "import_prompts" in text(client)


def test_the_first_that_waits_has_the_filled_button_and_its_key(admin):
    project = make_project("tides", name="Tides")
    make_run(project, state="paused", block_reason="No quota.")
    make_spec(make_prompt(project), state="in_review")

    page = text(admin)

    assert page.count('data-key="Enter"') == 1
    assert page.index("Decide <kbd>Enter</kbd>") < page.index("waits for a second person")


@pytest.mark.parametrize("address", ["/", "/projects/"])
def test_a_page_takes_the_same_queries_for_any_number_of_projects(
    address, admin, django_assert_num_queries
):
    def queries(count):
        for _ in range(count):
            project = make_project()
            make_spec(make_prompt(project), state="in_review")
            make_run(project, state="paused")
        with django_assert_num_queries(13 if address == "/" else 9):
            text(admin, address)

    queries(1)
    queries(20)


def test_names_keep_their_direction_and_their_characters(admin):
    make_project("he", name='בדיקה <i>"')

    assert "<bdi>בדיקה &lt;i&gt;&quot;</bdi>" in text(admin)


def test_an_archived_project_stands_apart_and_not_on_the_first_page(admin):
    make_project("gone", name="Long gone", archived_at=timezone.now())

    assert "Long gone" not in text(admin)
    assert "Archived" in text(admin, "/projects/")


def test_projects_are_found_by_name_and_short_name(admin):
    make_project("tides", name="Sea level")
    make_project("wind", name="Weather")

    for word in ("tides", "sea"):
        page = text(admin, f"/projects/?q={word}")
        assert "Sea level" in page
        assert "Weather" not in page


def test_the_menu_is_a_part_alone(admin):
    make_project("tides", name="Tides")

    page = admin.get("/projects/", headers={"HX-Request": "true"}).content.decode()

    assert "<html" not in page
    assert 'href="/p/tides/"' in page


def test_a_person_creates_a_project_and_administers_it():
    client, person = Client(), make_user()
    client.force_login(person)

    response = client.post("/projects/", {"name": "Sea level", "description": "Why it rises."})

    assert response["location"] == "/p/sea-level/"
    project = Project.objects.get(slug="sea-level")
    assert (project.name, project.description) == ("Sea level", "Why it rises.")
    assert project.memberships.get().user == person


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"name": "海平面"}, "this name has no Latin letters"),
        ({"name": "Tides", "slug": "Ti des"}, "cannot be the short name"),
        ({"name": "Tides", "slug": "taken"}, "is taken"),
        ({"name": ""}, "This field is required"),
    ],
)
def test_a_project_that_cannot_be_is_told_why_and_keeps_what_was_typed(admin, fields, sentence):
    make_project("taken")

    response = admin.post("/projects/", fields)
    page = response.content.decode()

    assert response.status_code in (409, 422)
    assert sentence in page
    assert f'value="{fields["name"]}"' in page or not fields["name"]


def test_home_stays_light_with_as_many_projects_as_it_shows(admin):
    for _number in range(50):
        make_project()

    assert len(admin.get("/").content) < 90_000
