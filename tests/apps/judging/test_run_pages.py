"""The list of runs, the page of one, and what a person does with them."""

import re
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from apps.accounts.models import Role
from apps.activity import services as activity
from apps.activity.models import Worker
from apps.judging import services, tasks
from apps.judging.models import JudgeRun
from tests import factories
from tests.apps.judging.conftest import carry

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_slots")]
HTMX = {"HX-Request": "true"}


@pytest.fixture
def enqueued(monkeypatch):
    """The runs that were sent to the queue; nothing is judged."""
    sent: list[int] = []
    monkeypatch.setattr(tasks.dispatch_run, "delay", sent.append)
    return sent


@pytest.fixture
def worker():
    now = timezone.now()
    activity.note_worker(name="one", pid=1, queues=["judging"], started_at=now)


def signed_in(client, project, *roles):
    client.force_login(factories.make_member(project, *(roles or (Role.AUTHOR,))))
    return client


def show(client, run, path="", **headers):
    response = client.get(f"/p/{run.project.slug}/runs/{path or f'{run.number}/'}", headers=headers)
    assert response.status_code == 200, response.content
    return str(response.content.decode())


def words(html):
    """The text of a page, white space folded."""
    return " ".join(re.sub(r"<[^>]+>", " ", html).split())


def test_the_list_names_judge_state_and_cells(client, started):
    run = carry(started(rollouts=2, criteria=2))
    signed_in(client, run.project)

    page = show(client, run, "?state=done")

    assert f'href="/p/{run.project.slug}/runs/{run.number}/"' in page
    assert "6 scored" in page
    assert "judge" in words(page)


def test_the_list_takes_the_same_queries_for_any_number_of_runs(client, fill):
    project = fill(rollouts=1)
    signed_in(client, project)
    author = factories.make_user()

    def captured():
        with CaptureQueriesContext(connection) as queries:
            client.get(f"/p/{project.slug}/runs/")
        return queries.captured_queries

    factories.make_run(project, expected=3, requested_by=author)
    few = captured()
    for state in ("running", "paused", "queued"):
        factories.make_run(project, state=state, expected=3, requested_by=author)
    many = captured()

    assert len(many) == len(few)
    assert not any('"evidence"' in query["sql"] or '"messages"' in query["sql"] for query in many)


def test_a_filter_without_a_match_leads_back(client, fill):
    project = fill()
    run = factories.make_run(project)
    signed_in(client, project)

    assert "No run matches these filters" in show(client, run, "?state=failed")


def test_without_runs_the_list_says_what_a_run_is(client, fill):
    project = fill()
    signed_in(client, project)

    page = client.get(f"/p/{project.slug}/runs/").content.decode()

    assert "No run yet" in page
    assert f"/p/{project.slug}/runs/start/" in page


def test_the_numbers_of_a_run_sum_to_what_is_expected(client, started, stub):
    run = started(rollouts=4, criteria=4)
    stub.configure(faults={"nonsense": 0.3, "http_503": 0.3})
    run = carry(run)
    signed_in(client, run.project)

    page = show(client, run)

    told = re.search(r'aria-label="([^"]+) 20 expected"', page)
    assert told is not None
    assert sum(map(int, re.findall(r"\d+", told[1]))) == run.expected == 20
    assert "= expected 20" in words(page)


def test_reasons_and_causes_lead_to_their_verdicts(client, started, stub):
    run = started(criteria=3)
    stub.configure(faults={"nonsense": 1.0})
    run = carry(run)
    signed_in(client, run.project)

    page = show(client, run)
    address = re.search(r'href="([^"]+verdicts/\?state=unscored[^"]+)"', page)

    assert address is not None
    found = client.get(address[1].replace("&amp;", "&")).content.decode()
    assert words(found).count("Unscored: unparsable") == 4


def test_the_last_message_of_a_cause_stands_beside_it(client, started, stub):
    run = started(criteria=1)
    stub.configure(faults={"http_503": 1.0})
    run = carry(run)
    signed_in(client, run.project)

    assert "answered 503" in words(show(client, run))


def test_a_run_under_way_asks_for_its_part_until_it_is_over(client, started):
    run = started(criteria=1)
    signed_in(client, run.project)

    part = show(client, run, **HTMX)
    assert 'hx-trigger="every 2s"' in part
    assert "<html" not in part

    run = carry(run)
    part = show(client, run, **HTMX)
    assert "hx-trigger" not in part
    assert "hx-swap-oob" in part


def test_who_listens_hears_the_state_and_tenths_of_it_only(client, fill):
    """A sentence that changes every two seconds would be read all the time."""
    project = fill(rollouts=5, criteria=1)
    run = factories.make_run(project, state="running", expected=10)
    spec = project.prompts.get().current.specs.get()
    for rollout in project.rollouts.all()[:2]:
        factories.make_verdict(run, rollout, spec.criteria.get())
    signed_in(client, project)

    said = re.search(r'id="run-said"[^>]*>(.*?)</p>', show(client, run), re.DOTALL)

    assert said is not None
    assert " ".join(said[1].split()) == "Run 1 is running. 2 of 10 parts are done."


def test_a_paused_run_says_why_what_is_kept_and_what_to_do(client, started):
    run = started(criteria=1)
    services.pause_run(run=run, cause="quota", reason="The quota is used up: raise it.")
    signed_in(client, run.project)

    shown = show(client, run)

    assert f"/p/{run.project.slug}/settings/models/" in shown
    page = words(shown)
    assert "Paused at" in page
    assert "The quota is used up: raise it." in page
    assert "Kept: 0 final cells." in page
    assert "Check and resume" in page


def test_a_run_that_nobody_carries_says_so(client, started, worker):
    run = started(criteria=1)
    signed_in(client, run.project)
    assert "No worker answers" not in show(client, run)

    Worker.objects.update(seen_at=timezone.now() - timedelta(minutes=5))

    assert "No worker answers" in show(client, run)


def test_the_small_model_is_named_meaningless(client, fill):
    project = fill()
    run = factories.make_run(project, judge={"judge": {"model": "small", "embedded": True}})
    signed_in(client, project)

    assert "meaningless judgement" in show(client, run)
    assert "built-in" in show(client, run, "?state=queued")


def test_a_run_is_started_and_enqueued(
    client, fill, use_model, enqueued, django_capture_on_commit_callbacks
):
    project = fill(rollouts=3)
    use_model()
    signed_in(client, project)

    with django_capture_on_commit_callbacks(execute=True):
        response = client.post(
            f"/p/{project.slug}/runs/start/",
            {"rollouts": "1, 2-3", "limit": "2", "output_mode": "explained", "samples": "1"},
        )

    run = JudgeRun.objects.get()
    assert response["location"] == f"/p/{project.slug}/runs/{run.number}/"
    assert run.run_rollouts.count() == 2
    assert enqueued == [run.pk]


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"rollouts": "1, x"}, "is no number of a rollout"),
        ({"rollouts": "5-2"}, "5-2 runs backwards: write 2-5."),
        ({"rollouts": "1-99999"}, "more than 5000 rollouts"),
        ({"rollouts": "99"}, "The project has no rollout 99"),
        ({"samples": "101"}, "less than or equal to 100"),
        ({"limit": "0"}, "greater than or equal to 1"),
    ],
)
def test_what_cannot_be_started_is_said_beside_the_form(client, fill, use_model, given, sentence):
    project = fill()
    use_model()
    signed_in(client, project)

    response = client.post(
        f"/p/{project.slug}/runs/start/", {"output_mode": "explained", "samples": "1", **given}
    )

    assert response.status_code == 422
    assert sentence in response.content.decode()


def test_the_form_says_how_much_it_is_and_who_judges(client, fill, use_model):
    project = fill(prompts=2, rollouts=3, criteria=4)
    factories.make_rollout(factories.make_prompt(project, "Without a spec?"))
    use_model()
    signed_in(client, project)

    page = words(client.get(f"/p/{project.slug}/runs/start/?rollouts=1,2").content.decode())

    assert "Rollouts with a spec 6 of 7" in page
    assert "Questions for all of them 30" in page
    assert "Judge judge" in page


@pytest.mark.parametrize(
    ("sizes", "sentence"),
    [
        ({"prompts": 0}, "There is nothing to judge yet"),
        ({"prompts": 1}, "No model is set to judge"),
    ],
)
def test_where_nothing_can_be_started_the_page_says_what_to_do(client, fill, sizes, sentence):
    project = fill(**sizes)
    signed_in(client, project)

    assert sentence in client.get(f"/p/{project.slug}/runs/start/").content.decode()


def test_pause_resume_and_cancel(client, started, enqueued, django_capture_on_commit_callbacks):
    run = started(criteria=1)
    signed_in(client, run.project)
    address = f"/p/{run.project.slug}/runs/{run.number}"

    paused = client.post(f"{address}/pause/", follow=True)
    assert f'action="{address}/resume/"' in paused.content.decode()
    with django_capture_on_commit_callbacks(execute=True):
        client.post(f"{address}/resume/")
    assert enqueued == [run.pk]
    client.post(f"{address}/cancel/")

    run.refresh_from_db()
    assert run.state == "cancelled"
    assert "Its verdicts are kept" in show(client, run)


def test_what_failed_is_asked_again_by_a_run_of_its_own(
    client, started, stub, enqueued, django_capture_on_commit_callbacks
):
    run = started(criteria=2)
    stub.configure(faults={"http_503": 1.0})
    run = carry(run)
    signed_in(client, run.project)
    assert "Ask 3 failed again" in words(show(client, run))

    with django_capture_on_commit_callbacks(execute=True):
        client.post(f"/p/{run.project.slug}/runs/{run.number}/retry/")

    child = JudgeRun.objects.get(parent=run)
    assert enqueued == [child.pk]
    assert f"run {child.number}" in words(show(client, run))


def test_without_failures_there_is_nothing_to_ask_again(client, started):
    run = carry(started(criteria=1))
    signed_in(client, run.project)

    response = client.post(f"/p/{run.project.slug}/runs/{run.number}/retry/", follow=True)

    assert f"Run {run.number} has no failed cells." in response.content.decode()
    assert JudgeRun.objects.count() == 1


def test_who_only_reads_gets_no_buttons(client, started):
    run = started(criteria=1)
    signed_in(client, run.project, Role.AUDITOR)

    assert "run-acts" in show(client, run)
    assert "/pause/" not in show(client, run)
    assert client.post(f"/p/{run.project.slug}/runs/{run.number}/cancel/").status_code == 403
