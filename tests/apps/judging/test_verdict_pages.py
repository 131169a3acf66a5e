"""Verdicts of a run in a list, and one with the evidence behind it."""

import hashlib
import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from apps.accounts.models import Role
from apps.calls.models import Text
from apps.judging import selectors
from apps.judging.models import Verdict
from apps.specs.models import Spec
from tests import factories
from tests.apps.judging.conftest import carry

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_slots")]
HTMX = {"HX-Request": "true"}
TEXT = "Kale is good. Take half a tablet more. Call the clinic."


def reader(client, project):
    client.force_login(factories.make_member(project, Role.AUDITOR))
    return client


def get(client, address, **headers):
    response = client.get(address, headers=headers)
    assert response.status_code == 200, response.content
    return response.content.decode()


def page_of(client, verdict, query="", **headers):
    slug = verdict.run.project.slug
    return get(client, f"/p/{slug}/runs/verdicts/{verdict.pk}/{query}", **headers)


@pytest.fixture
def judged(client):
    """One verdict about a response, without a call; values go to the verdict."""
    project = factories.make_project("tides")
    prompt = factories.make_prompt(project)
    spec = factories.make_spec(prompt, "Gives no advice on a dose.")
    rollout = factories.make_rollout(prompt, TEXT)
    reader(client, project)

    def make(**values):
        run = factories.make_run(project, **values.pop("run", {}))
        criterion = values.pop("criterion", spec.criteria.first())
        return factories.make_verdict(run, rollout, criterion, **values)

    return make


def test_the_drawer_is_a_part_and_the_page_includes_it(client, judged):
    verdict = judged()

    part, page = page_of(client, verdict, **HTMX), page_of(client, verdict)

    assert "<html" not in part
    assert "data-drawer-title" in part
    assert "<html" in page
    assert "data-drawer-title" in page


def test_the_evidence_is_marked_in_the_response(client, judged):
    page = page_of(client, judged(answer="no", score=0.0, evidence="take HALF a tablet"))

    assert '<mark class="no">Take half a tablet</mark> more.' in page


def test_words_that_the_response_does_not_have_are_told(client, judged):
    page = page_of(client, judged(evidence="skip a dose"))

    assert "The judge quotes words that the response does not have" in page
    assert "<mark" not in page


def test_markup_in_a_response_stays_text(client, judged):
    page = page_of(client, judged(evidence="<b>half"))

    assert "&lt;b&gt;half" in page
    assert "<b>half" not in page


def test_a_verdict_on_something_unwanted_is_shown_turned_round(client, judged):
    spec = Spec.objects.get()
    unwanted = factories.make_criterion(
        spec, "It lies.", position=5, key="lie", polarity="negative"
    )

    page = page_of(client, judged(criterion=unwanted, answer="yes", score=1.0))

    assert 'class="chip no"' in page
    assert "not wanted" in page


def test_a_verdict_on_an_older_text_says_that_it_is_stale(client, judged):
    verdict = judged()
    prompt = verdict.rollout.prompt_revision.prompt
    assert "Stale" not in page_of(client, verdict)

    factories.make_spec(prompt, "Gives no advice at all.")
    assert "the text of this criterion has changed" in page_of(client, verdict)


def test_stale_verdicts_are_listed_and_the_others_are_not(client, judged):
    verdict = judged()
    assert "No verdict is stale" in get(client, "/p/tides/runs/verdicts/stale/")

    factories.make_spec(verdict.rollout.prompt_revision.prompt, "Gives no advice at all.")

    page = get(client, "/p/tides/runs/verdicts/stale/")
    assert f'href="/p/tides/runs/verdicts/{verdict.pk}/"' in page
    assert f'href="/p/tides/runs/{verdict.run.number}/"' in page


def test_a_verdict_on_a_criterion_that_is_gone_says_so(client, judged):
    verdict = judged()
    spec = factories.make_spec(verdict.rollout.prompt_revision.prompt, "Other.", "More.")
    later = factories.make_criterion(spec, "It lies.", position=5, key="lie")
    gone = factories.make_verdict(factories.make_run(verdict.run.project), verdict.rollout, later)
    factories.make_spec(verdict.rollout.prompt_revision.prompt, "Other.")

    assert "the newest spec no longer has this criterion" in page_of(client, gone)


def test_a_verdict_that_a_person_wrote_has_no_calls(client, judged):
    assert "none: a person wrote it" in page_of(client, judged(flags=["by_hand"]))


def test_the_small_model_is_named_meaningless(client, judged):
    verdict = judged(run={"judge": {"judge": {"model": "small", "embedded": True}}})

    assert "meaningless judgement" in page_of(client, verdict)


def test_the_way_from_spec_to_call_is_shown(client, started):
    run = carry(started(criteria=1))
    verdict = Verdict.objects.get(criterion__isnull=False)
    reader(client, run.project)

    page = page_of(client, verdict, **HTMX)

    assert re.search(r"spec 1 v1.*c1.*verdict \d+.*call \d+", page, re.DOTALL)
    assert f"/runs/verdicts/{verdict.pk}/calls/1/" in page


def test_every_attempt_is_told_with_what_was_sent_and_answered(client, started, stub):
    run = started(criteria=1)
    stub.configure(faults={"nonsense": 1.0})
    run = carry(run)
    reader(client, run.project)
    verdict = Verdict.objects.get(criterion__isnull=False)

    page = page_of(client, verdict, **HTMX)

    assert page.count('<details class="call">') == len(selectors.attempts_of(verdict)) == 2
    assert "This is the response to judge" in page
    assert "certainly maybe" in page
    assert "Unscored: unparsable" in page


def test_the_request_of_a_call_is_downloaded_byte_for_byte(client, started):
    run = carry(started(criteria=1))
    reader(client, run.project)
    verdict = Verdict.objects.get(criterion__isnull=False)

    address = f"/p/{run.project.slug}/runs/verdicts/{verdict.pk}/calls/1/"
    response = client.get(f"{address}?raw")

    sent = selectors.attempts_of(verdict)[0].request_sha256
    assert hashlib.sha256(response.content).hexdigest() == sent
    assert "attachment" in response["content-disposition"]
    assert sent in get(client, address)
    assert (
        client.get(f"/p/{run.project.slug}/runs/verdicts/{verdict.pk}/calls/9/").status_code == 404
    )


def test_a_dropped_text_is_said_where_it_was(client, started):
    run = carry(started(criteria=1))
    reader(client, run.project)
    verdict = Verdict.objects.get(criterion__isnull=False)
    Text.objects.update(data=None)
    address = f"/p/{run.project.slug}/runs/verdicts/{verdict.pk}/"

    for page in (get(client, address, **HTMX), get(client, f"{address}calls/1/")):
        assert "dropped by the retention policy" in page
        assert "Numbers and hashes are kept" in page
    assert client.get(f"{address}calls/1/?raw").status_code == 409


def test_neighbours_follow_the_filters_of_the_list(client):
    prompt = factories.make_prompt(factories.make_project("tides"))
    spec = factories.make_spec(prompt)
    run = factories.make_run(prompt.project)
    unscored = {"state": "unscored", "reason": "unparsable", "answer": "", "score": None}
    first, _between, last = (
        factories.make_verdict(run, factories.make_rollout(prompt), spec.criteria.get(), **values)
        for values in (unscored, {}, unscored)
    )
    reader(client, prompt.project)

    page = page_of(client, first, "?state=unscored")

    assert f"/verdicts/{last.pk}/?state=unscored" in page
    assert 'rel="prev"' not in page


def test_the_list_can_be_narrowed_and_names_the_filters_in_its_links(client, started):
    run = carry(started(rollouts=2, criteria=2))
    reader(client, run.project)
    root = f"/p/{run.project.slug}/runs/{run.number}/verdicts/"

    def rows(query):
        return get(client, f"{root}{query}").count("<tr data-row>")

    number = run.run_rollouts.all()[0].rollout.number
    assert rows("") == 6
    assert rows("?criterion=c1") == 2
    assert rows("?criterion=global") == 2
    assert rows(f"?rollout={number}") == 3
    assert rows("?state=failed") == 0
    assert f"?criterion=c1&amp;rollout={number}" in get(
        client, f"{root}?criterion=c1&rollout={number}"
    )
    assert client.get(f"{root}?rollout=x").status_code == 422


def test_a_list_reads_no_payload_and_takes_the_same_queries_for_any_number(client, started):
    run = carry(started(rollouts=6, criteria=2))
    reader(client, run.project)
    root = f"/p/{run.project.slug}/runs/{run.number}/verdicts/"

    def captured(query):
        with CaptureQueriesContext(connection) as queries:
            client.get(f"{root}{query}")
        return [query["sql"] for query in queries.captured_queries]

    few, many = captured("?criterion=c1&rollout=1"), captured("")

    assert len(many) == len(few)
    assert not any('"evidence"' in sql or '"messages"' in sql for sql in many)
