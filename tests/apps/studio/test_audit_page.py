"""The audit trail as a page: found by who, what, which thing and day; sealed; each act whole."""

from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from apps.accounts.models import Role
from apps.activity import services as activity
from tests.factories import make_member, make_project, make_prompt, make_run, make_spec, make_user

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}


@pytest.fixture
def project():
    return make_project("tides", name="Tides")


@pytest.fixture
def auditor(client, project):
    client.force_login(make_member(project, Role.AUDITOR))
    return client


def record(project, verb="project.changed", target=None, **values):
    return activity.record(verb=verb, target=target or project, project=project, **values)


def text(client, address="", **headers) -> str:
    return str(client.get(f"/p/tides/audit/{address}", headers=headers).content.decode())


def tamper(sql, *values):
    """As who owns the database could: the trigger that forbids it is off for a moment."""
    with connection.cursor() as cursor:
        cursor.execute("SET session_replication_role = replica")
        cursor.execute(sql, values)
        cursor.execute("SET session_replication_role = origin")


def test_each_act_says_who_what_when_and_why(auditor, project):
    ada = make_user("ada", display_name="Ada <L>")
    event = record(project, actor=ada, reason='Because of "<i>"')

    page = text(auditor)

    assert "<bdi>Ada &lt;L&gt;</bdi>" in page
    assert "changed the texts of" in page
    assert event.at.strftime("%Y-%m-%d %H:%M:%S") in page
    assert "Because of &quot;&lt;i&gt;&quot;" in page


def test_nothing_of_another_project_is_shown(auditor, project):
    record(make_project("others", name="Others"), reason="elsewhere")

    assert "elsewhere" not in text(auditor)


@pytest.mark.parametrize(
    ("query", "kept"),
    [
        ("actor=ada", {"by ada"}),
        ("actor=system", {"by nobody", "of the run"}),
        ("verb=run.paused", {"of the run"}),
        ("thing=run+1", {"of the run"}),
        ("thing=spec+1", set()),
        ("actor=nobody-is-so", set()),
    ],
)
def test_acts_are_found_by_who_what_and_which_thing(auditor, project, query, kept):
    record(project, actor=make_user("ada"), reason="by ada")
    record(project, reason="by nobody")
    record(project, "run.paused", make_run(project), reason="of the run")

    page = text(auditor, f"?{query}")

    assert {reason for reason in ("by ada", "by nobody", "of the run") if reason in page} == kept


def test_a_spec_is_found_with_all_its_versions(auditor, project):
    prompt = make_prompt(project)
    for reason in ("first version", "second version"):
        record(project, "spec.saved", make_spec(prompt), reason=reason)

    page = text(auditor, "?thing=spec+1")

    assert "first version" in page
    assert "second version" in page


def test_acts_are_found_by_their_day(auditor, project):
    record(project, reason="of today")
    today = timezone.now().date()

    assert "of today" in text(auditor, f"?day={today}")
    assert "of today" not in text(auditor, f"?day={today - timedelta(days=1)}")


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("day=yesterday", "is no day: write it as"),
        ("thing=moon", "names no thing: write a kind and a number"),
        ("thing=12", "names no thing"),
        ("verb=nothing.done", "cannot be"),
        ("after=x", "pass on the value"),
    ],
)
def test_a_filter_that_cannot_be_used_says_why(auditor, query, sentence):
    response = auditor.get(f"/p/tides/audit/?{query}")

    assert response.status_code == 422
    assert sentence in response.content.decode()


def test_older_acts_are_on_the_next_page_with_the_same_filter(auditor, project):
    for number in range(51):
        record(project, reason=f"act {number};")

    first = text(auditor, "?verb=project.changed")

    assert "act 0;" not in first
    assert "verb=project.changed&amp;after=" in first


def test_a_page_takes_the_same_queries_and_no_details_of_thousands(
    auditor, project, django_assert_max_num_queries
):
    for _ in range(20):
        record(project, "run.paused", make_run(project), actor=make_user())
        record(project, detail={"specs": [*range(5000)]})

    # session, person, project, steps and jobs, seal, younger events, events, runs, projects
    with django_assert_max_num_queries(9) as captured:
        text(auditor)

    assert not any('"detail", ' in query["sql"] for query in captured.captured_queries)


def test_an_act_is_whole_in_the_drawer_with_what_changed(auditor, project):
    detail = {"before": {"name": "Low tides"}, "after": {"name": "High tides", "x": 1}}
    event = record(project, detail=detail)

    part = text(auditor, f"{event.pk}/", **HTMX)

    assert "<html" not in part
    assert "<del>Low</del><ins>High</ins> tides" in part
    assert "<ins>1</ins>" in part
    assert "project.changed" in part
    assert "none yet: the next one covers it" in part


def test_an_act_is_a_page_of_its_own(auditor, project):
    event = record(project)

    assert "<html" in text(auditor, f"{event.pk}/")


def test_an_act_of_another_project_is_not_there(auditor):
    event = record(make_project())

    assert auditor.get(f"/p/tides/audit/{event.pk}/").status_code == 404


def test_the_seals_are_computed_anew_on_demand(auditor, project):
    record(project)
    assert "Not sealed yet" in text(auditor)

    activity.seal_trail()
    event = record(project)

    assert f"Sealed up to event {event.pk - 1}" in text(auditor)
    assert "(1 since)" in text(auditor)
    assert "Verified: 1 seal over 1 events holds." in text(auditor, "check/", **HTMX)
    assert "<html" in text(auditor, "check/")


def test_a_changed_event_breaks_its_seal(auditor, project):
    event = record(project, reason="as it was")
    activity.seal_trail()
    tamper("UPDATE activity_auditevent SET reason = 'as I like it' WHERE id = %s", event.pk)

    assert "does not hold: an event under it has changed" in text(auditor, "check/", **HTMX)
