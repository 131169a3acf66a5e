"""The jobs page: what goes on, whether anybody carries it, and what a person does with it."""

from datetime import timedelta

import pytest
from django.utils import timezone

from apps.accounts.models import Role
from apps.activity import services
from apps.activity.models import AuditEvent, Job, Worker
from tests.factories import make_member, make_project, make_run, make_user

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}


def make_job(project, kind="make_specs", **values):
    return services.create_job(kind=kind, task="x", arguments={}, project=project, **values)


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


@pytest.fixture
def enqueued(monkeypatch):
    """The jobs whose task was sent; nothing is sent for real."""
    sent: list[int] = []
    monkeypatch.setattr("apps.studio.views.background.enqueue_job", sent.append)
    return sent


def test_a_member_sees_the_jobs_of_their_project_only(member, project):
    mine, other = make_job(project), make_job(make_project())

    page = text(member)

    assert f'id="job-{mine.pk}"' in page
    assert f'id="job-{other.pk}"' not in page


def test_a_job_is_told_in_words_with_a_way_to_its_work(member, project):
    make_job(project, kind="import_prompts", total=1000)

    page = text(member)

    assert ">Import prompts</a>" in page
    assert 'href="/p/tides/prompts/"' in page
    assert "0 / 1,000" in page


def test_a_job_that_judges_leads_to_its_run(member, project):
    job = make_job(project, kind="judge")
    run = make_run(project, job=job)

    page = text(member)

    assert "Judge rollouts" in page
    assert "/cancel/" not in page, f"a run is cancelled on the page of run {run.number}"


def test_a_paused_job_shows_what_to_do(member, project):
    services.pause_job(job=make_job(project), reason="The server <is> down: start it.")

    assert "The server &lt;is&gt; down: start it." in text(member)


def test_a_finished_job_says_what_it_has_done(member, project):
    job = make_job(project)
    services.start_job(job=job, worker="w")
    services.finish_job(job=job, result={"specs": 174, "failed": 98, "note": "x"})

    assert "174 specs, 98 failed" in text(member)


def test_a_living_worker_is_named_with_its_queues(member):
    make_worker(seconds_ago=2)

    page = text(member)

    assert "one@here" in page
    assert "judging" in page
    assert "answers" in page


def test_a_silent_worker_is_told_in_seconds(member):
    make_worker(seconds_ago=40)

    page = text(member)

    assert "No worker has answered for 40 s." in page
    assert "silent" in page


def test_without_any_worker_the_page_says_so(member):
    assert "No worker has ever answered." in text(member)


def test_htmx_gets_the_list_alone_and_asks_more_often_while_something_goes_on(member, project):
    part = text(member, **HTMX)
    make_job(project)

    assert "<html" not in part
    assert 'hx-trigger="every 15s"' in part
    assert 'hx-trigger="every 3s"' in text(member, **HTMX)


def test_older_jobs_are_on_the_next_page(member, project):
    jobs = [make_job(project) for _ in range(52)]

    first = text(member)
    second = text(member, f"/jobs/?after={jobs[2].pk}")

    assert f"?after={jobs[2].pk}" in first
    assert f'id="job-{jobs[1].pk}"' in second
    assert f'id="job-{jobs[2].pk}"' not in second


def test_jobs_are_found_by_state_and_project(member, project):
    failed, waiting = make_job(project), make_job(project)
    services.fail_job(job=failed, cause="x", error="No.")

    page = text(member, "/jobs/?state=failed&project=tides")

    assert f'id="job-{failed.pk}"' in page
    assert f'id="job-{waiting.pk}"' not in page


def test_a_cursor_that_is_none_is_refused_with_a_sentence(member):
    response = member.get("/jobs/?after=x")

    assert response.status_code == 422
    assert "pass on the value" in response.content.decode()


def test_the_page_takes_the_same_queries_for_any_number_of_jobs(
    member, project, django_assert_num_queries
):
    for _ in range(10):
        make_job(project, requested_by=make_user())
        make_run(project, job=make_job(project, kind="judge"))

    # session, person, jobs with project and person, runs, roles,
    # workers (all, living, any before), open jobs
    with django_assert_num_queries(9):
        text(member)


def test_a_cancelled_job_keeps_what_it_did_and_says_who_ended_it(member, project):
    job = make_job(project)

    response = member.post(f"/p/tides/jobs/{job.pk}/cancel/")

    assert response["location"] == "/jobs/"
    job.refresh_from_db()
    assert job.state == Job.State.CANCELLED
    event = AuditEvent.objects.get(verb="job.cancelled")
    assert (event.target_id, event.actor) == (str(job.pk), project.memberships.get().user)


@pytest.mark.django_db(transaction=True)
def test_a_paused_job_goes_on(member, project, enqueued):
    job = make_job(project)
    services.pause_job(job=job, reason="No server.")

    member.post(f"/p/tides/jobs/{job.pk}/resume/")

    job.refresh_from_db()
    assert job.state == Job.State.QUEUED
    assert enqueued == [job.pk]


@pytest.mark.django_db(transaction=True)
def test_a_failed_job_is_asked_for_again_as_another_one(member, project, enqueued):
    job = make_job(project)
    services.fail_job(job=job, cause="lost_worker", error="Start it again.")

    member.post(f"/p/tides/jobs/{job.pk}/repeat/")

    again = Job.objects.exclude(pk=job.pk).get()
    assert (again.kind, again.state, enqueued) == ("make_specs", "queued", [again.pk])


@pytest.mark.parametrize(
    ("act", "kind", "sentence"),
    [
        ("resume", "make_specs", "is not paused"),
        ("repeat", "make_specs", "is not over yet"),
        ("repeat", "import_prompts", "started again on the page of its work"),
        ("cancel", "judge", "on the page of the run"),
    ],
)
def test_what_cannot_be_done_with_a_job_is_refused_with_a_sentence(
    member, project, act, kind, sentence
):
    job = make_job(project, kind=kind)

    response = member.post(f"/p/tides/jobs/{job.pk}/{act}/")

    assert response.status_code == 409
    assert sentence in response.content.decode()


def test_a_job_that_is_over_cannot_be_cancelled(member, project):
    job = make_job(project)
    services.cancel_job(job=job)

    assert member.post(f"/p/tides/jobs/{job.pk}/cancel/").status_code == 409


def test_who_only_reads_steers_nothing(client, project):
    make_job(project)
    client.force_login(make_member(project, Role.AUDITOR))

    assert "/cancel/" not in text(client)


def test_a_job_of_another_project_is_not_there(member):
    job = make_job(make_project())

    assert member.post(f"/p/tides/jobs/{job.pk}/cancel/").status_code == 404
