"""Projects, their numbers and their settings."""

import threading

import pytest
from django.db import connection

from apps.accounts import project_settings, services
from apps.accounts.models import Role
from apps.activity.errors import BadInput, Conflict
from apps.activity.models import AuditEvent
from tests.factories import make_project, make_user

pytestmark = pytest.mark.django_db


def test_a_short_name_is_refused_with_the_rule_that_it_breaks_and_no_other():
    with pytest.raises(BadInput) as refused:
        services.get_or_create_project(slug="De mo")

    assert refused.value.message == (
        "'De mo' cannot be the short name of a project: "
        "Use small letters, digits and hyphens, beginning with a letter or digit."
    )


def test_a_new_project_is_administered_by_who_made_it():
    actor = make_user()

    project = services.get_or_create_project(slug="tides", actor=actor)

    assert list(project.memberships.values_list("user", "role")) == [(actor.pk, Role.ADMIN)]


def test_a_new_project_is_in_the_trail_once():
    for _ in range(2):
        services.get_or_create_project(slug="tides")

    assert AuditEvent.objects.filter(verb="project.created").count() == 1


@pytest.mark.parametrize("slug", ["Tides", "-tides", "a b", "", "é", "x" * 61])
def test_a_bad_short_name_is_refused_with_a_sentence(slug):
    with pytest.raises(BadInput, match="cannot be the short name"):
        services.get_or_create_project(slug=slug)


def test_a_project_is_created_with_its_texts():
    project = services.create_project(
        slug="tides", name="Tides", description="Why the sea moves.", actor=make_user()
    )

    assert (project.name, project.description) == ("Tides", "Why the sea moves.")
    assert project.memberships.get().role == Role.ADMIN


def test_a_taken_short_name_makes_no_second_project():
    make_project("tides")

    with pytest.raises(Conflict, match="tides is taken"):
        services.create_project(slug="tides", name="Other tides", actor=make_user())


def test_numbers_go_on_where_the_last_ones_ended():
    project = make_project()

    first = services.allocate_numbers(project=project, kind="prompt", count=3)
    second = services.allocate_numbers(project=project, kind="prompt")
    other = services.allocate_numbers(project=project, kind="run")

    assert (list(first), list(second), list(other)) == ([1, 2, 3], [4], [1])


@pytest.mark.django_db(transaction=True)
def test_numbers_taken_at_the_same_time_are_distinct():
    project = make_project()
    taken: list[int] = []

    def take():
        taken.extend(services.allocate_numbers(project=project, kind="prompt", count=5))
        connection.close()

    threads = [threading.Thread(target=take) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(taken) == list(range(1, 41))


def test_settings_have_defaults():
    settings = project_settings.load(make_project())

    assert settings.missing == "drop_item_for_group"
    assert settings.approval_needs_second_person
    assert settings.keep_call_texts_days is None


def test_a_changed_setting_is_kept_and_the_trail_holds_both_values():
    project = make_project()

    services.change_settings(project=project, changes={"checker_error": "fail"})

    project.refresh_from_db()
    assert project_settings.load(project).checker_error == "fail"
    detail = AuditEvent.objects.get(verb="project.settings_changed").detail
    assert (detail["before"]["checker_error"], detail["after"]["checker_error"]) == (
        "unavailable",
        "fail",
    )


@pytest.mark.parametrize(
    "changes", [{"missing": "ignore"}, {"min_coverage": 1.5}, {"colour": "red"}, {"version": 2}]
)
def test_a_setting_that_does_not_hold_is_refused_by_name(changes):
    with pytest.raises(BadInput, match=next(iter(changes))):
        services.change_settings(project=make_project(), changes=changes)
