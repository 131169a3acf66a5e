"""Check runs on pages: by constraint type, and one outcome with the place it comes from."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from apps.accounts.models import Role
from apps.activity.models import Job
from apps.judging import services, tasks
from apps.judging.models import CheckOutcome, CheckRun
from apps.judging.selectors import checks
from rubricstudio.core.types import Constraint
from tests import factories
from tests.apps.rewards.world import save_spec

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}


@pytest.fixture
def project():
    """A prompt with two constraints, and two responses to it."""
    project = factories.make_project("tides")
    prompt = factories.make_prompt(project)
    save_spec(
        prompt,
        constraints=(
            Constraint("contain", {"phrases": ["Moon"]}, evidence="name the Moon"),
            Constraint("word_count", {"op": "le", "value": 3}),
        ),
    )
    factories.make_rollout(prompt, "The Moon pulls the water.")
    factories.make_rollout(prompt, "Because of wind.")
    return project


@pytest.fixture
def author(client, project):
    client.force_login(factories.make_member(project, Role.AUTHOR))
    return client


def get(client, path="", **headers):
    response = client.get(f"/p/tides/runs/checks/{path}", headers=headers)
    assert response.status_code == 200, response.content
    return response.content.decode()


def test_the_checkers_of_a_small_project_answer_at_once(author):
    assert "No check run yet" in get(author)

    response = author.post("/p/tides/runs/checks/run/")

    assert response["location"] == "/p/tides/runs/checks/1/"
    assert CheckOutcome.objects.count() == 4
    page = get(author)
    assert "50.0 %" in page


def test_in_a_large_project_a_worker_runs_them(
    author, project, monkeypatch, django_capture_on_commit_callbacks
):
    monkeypatch.setattr(checks, "MOST_AT_ONCE", 1)
    sent: list[dict] = []
    monkeypatch.setattr(tasks.run_checks, "apply_async", lambda kwargs: sent.append(kwargs))

    with django_capture_on_commit_callbacks(execute=True):
        author.post("/p/tides/runs/checks/run/")
        author.post("/p/tides/runs/checks/run/")

    job = Job.objects.get()
    assert sent == [{"job_id": job.pk}] * 2
    assert 'hx-trigger="every 2s"' in get(author, **HTMX)
    tasks.run_checks(job_id=job.pk)
    job.refresh_from_db()
    assert (job.state, job.result["checks"]) == ("done", 4)
    assert "hx-trigger" not in get(author, **HTMX)


def test_a_check_run_that_is_told_to_stop_is_completed_by_the_next(project):
    first = services.run_checks(project=project, beat=lambda _done: False)
    assert first.run.finished_at is None

    again = services.run_checks(project=project)

    assert again.run == first.run
    assert again.run.finished_at is not None
    assert CheckRun.objects.count() == 1


def test_a_job_whose_checks_are_refused_says_why(project):
    job = services.start_checks(project=project)
    CheckOutcome.objects.all().delete()
    type(project).objects.filter(pk=project.pk).update(archived_at=None)
    other = factories.make_project("empty")
    Job.objects.filter(pk=job.pk).update(project=other)

    tasks.run_checks(job_id=job.pk)

    job.refresh_from_db()
    assert job.state == "failed"
    assert "import rollouts first" in job.error


def test_a_run_is_shown_by_type_and_outcome(author, project):
    services.run_checks(project=project)

    page = get(author, "1/")
    assert page.count("<tr data-row>") == 4
    assert "?type=word_count" in page
    failed = get(author, "1/?type=word_count&result=failed")
    assert failed.count("<tr data-row>") == 1
    assert "at most 3" in failed


def test_an_outcome_marks_where_it_comes_from_and_names_what_asked_for_it(author, project):
    services.run_checks(project=project)
    found = CheckOutcome.objects.get(checker__constraint__type="contain", result="passed")

    part = get(author, f"outcomes/{found.pk}/", **HTMX)

    assert "<html" not in part
    assert '<mark class="passed">Moon</mark>' in part
    assert "name the Moon" in part
    assert "<html" in get(author, f"outcomes/{found.pk}/")


def test_lists_of_outcomes_read_no_payload(author, project):
    services.run_checks(project=project)

    with CaptureQueriesContext(connection) as queries:
        get(author, "1/")

    shown = [query["sql"] for query in queries.captured_queries]
    assert not any('"messages"' in sql or '"params"' in sql or '"code"' in sql for sql in shown)


def test_who_only_reads_cannot_run_them(client, project):
    client.force_login(factories.make_member(project, Role.AUDITOR))

    assert "Run the checks" not in client.get("/p/tides/runs/checks/").content.decode()
    assert client.post("/p/tides/runs/checks/run/").status_code == 403
