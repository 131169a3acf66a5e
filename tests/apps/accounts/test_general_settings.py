"""The texts and settings of a project, by its form."""

import pytest

from apps.accounts import project_settings, selectors
from apps.accounts.forms import ProjectForm
from apps.accounts.models import Project, Role
from apps.activity import services as activity
from apps.activity.merging import seen_of
from apps.activity.models import AuditEvent, Draft
from tests.factories import make_member, make_project

pytestmark = pytest.mark.django_db
PAGE, SAVE = "/p/tides/settings/", "/p/tides/settings/general/"


@pytest.fixture
def project() -> Project:
    return make_project("tides", name="Tides", description="The <sea>")


@pytest.fixture
def admin(client, project):
    client.force_login(make_member(project, Role.ADMIN))
    return client


def form_of(project: Project, **changes: str) -> dict[str, str]:
    """What a browser sends after somebody changed some fields of the page as it is now."""
    fields = selectors.project_fields(project)
    boxes = {"approval_needs_second_person": "on"} | changes
    return {**fields, "seen": seen_of(fields), **boxes}


def test_every_setting_has_a_field_with_a_label():
    keys = set(project_settings.ProjectSettings.model_fields) - {"version"}

    assert keys <= set(ProjectForm.base_fields)


def test_the_page_shows_what_the_project_holds(admin):
    page = admin.get(PAGE).content.decode()

    assert "The &lt;sea&gt;" in page
    assert 'data-draft="settings"' in page


def test_a_reader_sees_the_settings_in_words_and_no_form(client, project):
    client.force_login(make_member(project, Role.REVIEWER))

    page = client.get(PAGE).content.decode()

    assert "Leave the criterion out for the whole group" in page
    assert "<textarea" not in page
    assert client.post(SAVE, form_of(project)).status_code == 403


def test_changed_texts_and_settings_are_kept_and_in_the_trail(admin, project):
    data = form_of(project, description="The sea\r\nand the Moon", checker_error="fail")

    answer = admin.post(SAVE, data)

    project.refresh_from_db()
    assert answer.status_code == 302
    assert project.description == "The sea\nand the Moon"
    assert project_settings.load(project).checker_error == "fail"
    verbs = set(AuditEvent.objects.values_list("verb", flat=True))
    assert verbs == {"project.changed", "project.settings_changed"}


def test_saving_without_a_change_leaves_no_trace(admin, project):
    admin.post(SAVE, form_of(project))

    assert not AuditEvent.objects.exists()


def test_a_box_that_is_not_ticked_is_a_no(admin, project):
    data = form_of(project)
    del data["approval_needs_second_person"]

    admin.post(SAVE, data)

    project.refresh_from_db()
    assert not project_settings.load(project).approval_needs_second_person


def test_days_that_are_left_empty_mean_for_ever(admin, project):
    admin.post(SAVE, form_of(project, keep_call_texts_days="30"))
    project.refresh_from_db()
    days = project_settings.load(project).keep_call_texts_days

    admin.post(SAVE, form_of(project, keep_call_texts_days=""))

    project.refresh_from_db()
    assert (days, project_settings.load(project).keep_call_texts_days) == (30, None)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"name": ""}, "required"),
        ({"keep_call_texts_days": "0"}, "keep_call_texts_days"),
        ({"min_coverage": "1.5"}, "min_coverage"),
        ({"min_coverage": "much"}, "min_coverage"),
        ({"missing": "ignore"}, "not one of the available choices"),
        ({"description": "a\0b"}, "Null characters"),
    ],
)
def test_a_value_that_cannot_be_is_told_beside_what_was_typed(admin, project, change, reason):
    answer = admin.post(SAVE, form_of(project, guidelines="typed already", **change))

    page = answer.content.decode()
    assert answer.status_code == 422
    assert reason in page
    assert "typed already" in page


def test_two_people_who_change_different_fields_do_not_meet(admin, project):
    mine = form_of(project, guidelines="Read twice.")
    Project.objects.update(description="The Moon")

    admin.post(SAVE, mine)

    project.refresh_from_db()
    assert (project.description, project.guidelines) == ("The Moon", "Read twice.")


def test_two_people_who_change_one_field_see_both_texts_and_nothing_is_lost(admin, project):
    mine = form_of(project, description="Mine")
    Project.objects.update(description="Theirs")

    answer = admin.post(SAVE, mine)

    page = answer.content.decode()
    assert answer.status_code == 409
    assert "Mine" in page
    assert "Theirs" in page
    project.refresh_from_db()
    assert project.description == "Theirs"


@pytest.mark.parametrize(("choice", "kept"), [("mine", "Mine"), ("theirs", "Theirs")])
def test_after_a_conflict_the_text_that_was_chosen_is_kept(admin, project, choice, kept):
    Project.objects.update(description="Theirs")
    project.refresh_from_db()
    again = form_of(project, description="Mine", **{"take-description": choice})

    admin.post(SAVE, again)

    project.refresh_from_db()
    assert project.description == kept


def test_saving_the_form_ends_its_draft(admin, project):
    user = project.memberships.get().user
    activity.save_draft(user=user, project=project, key="settings", body={}, version=0)

    admin.post(SAVE, form_of(project))

    assert not Draft.objects.exists()
