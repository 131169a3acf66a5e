"""The jobs page: what goes on, and whether anybody carries it."""

from datetime import timedelta

import pytest
from django.utils import timezone

from apps.accounts.models import Role
from apps.activity import services
from apps.activity.models import Worker
from tests.factories import make_member, make_project, make_user

pytestmark = pytest.mark.django_db


def make_job(project, **values):
    return services.create_job(kind="judge", task="x", arguments={}, project=project, **values)


def make_worker(seconds_ago: float) -> None:
    now = timezone.now()
    services.note_worker(name="one@here", pid=1, queues=["judging"], started_at=now)
    Worker.objects.update(seen_at=now - timedelta(seconds=seconds_ago))


def text(client, address="/jobs/", **headers) -> str:
    return str(client.get(address, headers=headers).content.decode())


@pytest.fixture
def project():
    return make_project("tides", name="Tides")


@pytest.fixture
def member(client, project):
    client.force_login(make_member(project, Role.AUTHOR))
    return client


def test_a_member_sees_the_jobs_of_their_project_only(member, project):
    mine, other = make_job(project), make_job(make_project())

    page = text(member)

    assert f"judge {mine.pk}<" in page
    assert f"judge {other.pk}<" not in page


def test_a_paused_job_shows_what_to_do(member, project):
    services.pause_job(job=make_job(project), reason="The server <is> down: start it.")

    assert "The server &lt;is&gt; down: start it." in text(member)


def test_a_living_worker_is_named_with_its_queues(member):
    make_worker(seconds_ago=2)

    assert "one@here: judging" in text(member)


def test_a_silent_worker_is_told_in_seconds(member):
    make_worker(seconds_ago=40)

    assert "No worker has answered for 40 s." in text(member)


def test_without_any_worker_the_page_says_so(member):
    assert "No worker has ever answered." in text(member)


def test_htmx_gets_the_list_alone_and_goes_on_asking(member):
    part = text(member, **{"HX-Request": "true"})

    assert "<html" not in part
    assert 'hx-trigger="every 3s"' in part


def test_older_jobs_are_on_the_next_page(member, project):
    jobs = [make_job(project) for _ in range(52)]

    first = text(member)
    second = text(member, f"/jobs/?after={jobs[2].pk}")

    assert f"?after={jobs[2].pk}" in first
    assert f"judge {jobs[1].pk}<" in second
    assert f"judge {jobs[2].pk}<" not in second


def test_a_cursor_that_is_none_is_refused_with_a_sentence(member):
    response = member.get("/jobs/?after=x")

    assert response.status_code == 422
    assert "pass on the value" in response.content.decode()


def test_the_page_takes_the_same_queries_for_any_number_of_jobs(
    member, project, django_assert_num_queries
):
    for _ in range(20):
        make_job(project, requested_by=make_user())

    # session, person, jobs with project and person, workers (living, any before), open jobs
    with django_assert_num_queries(6):
        text(member)
