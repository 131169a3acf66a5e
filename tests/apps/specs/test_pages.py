"""The pages of specs, as people of a project get them."""

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from apps.accounts.models import Role
from apps.activity import services as activity
from apps.activity.models import Job
from apps.calls.models import Template, TemplateVersion
from apps.calls.services import TextUse, store_texts, text_hash
from apps.specs import selectors, services
from apps.specs.models import Spec, SpecFailure
from tests.factories import (
    make_bare_spec,
    make_call,
    make_constraint,
    make_criterion,
    make_member,
    make_project,
    make_prompt,
    make_spec,
    newest,
)

pytestmark = pytest.mark.django_db
PAYLOADS = ('"messages"', '"line"', '"specs_criterion"."text"', '"columns"', '"given"')
SPECS = "/p/tides/specs/"


@pytest.fixture
def project():
    return make_project("tides", name="Tides")


@pytest.fixture
def author(client, project):
    client.user = make_member(project, Role.AUTHOR)
    client.force_login(client.user)
    return client


@pytest.fixture
def reviewer(client, project):
    client.user = make_member(project, Role.REVIEWER)
    client.force_login(client.user)
    return client


def html(client, address="", **headers):
    response = client.get(f"{SPECS}{address}", headers=headers)
    assert response.status_code == 200, response.content.decode()
    return response.content.decode()


def words(client, address="", **headers):
    return plain(html(client, address, **headers))


def plain(text):
    return " ".join(re.sub(r"<[^>]+>", " ", text).split())


def test_an_empty_project_leads_to_its_prompts(author):
    page = html(author)

    assert "prompts come first" in page
    assert 'href="/p/tides/prompts/"' in page


def test_prompts_without_specs_lead_to_making_them(author, project):
    make_prompt(project)

    page = html(author)
    assert "0 of 1 prompts have one" in page
    assert 'href="/p/tides/specs/make/"' in page


def test_a_spec_is_listed_with_its_state_and_parts(author, project):
    prompt = make_prompt(project, "Why <tides>?")
    make_spec(prompt)
    make_spec(
        prompt,
        "a",
        "b",
        constraints=({"type": "x", "refused": "no"},),
        label="qa_explanation",
        author=author.user,
    )

    page = words(author)
    assert "Why &lt;tides&gt;?" in page
    assert re.search(rf"v2 Draft 2 0 1 qa explanation \d+ s ago {author.user}", page)


@pytest.mark.parametrize(
    ("query", "numbers"),
    [
        ("q=2", {2}),
        ("q=moon", {1}),
        ("state=in_review", {2}),
        ("label=coding", {3}),
        ("method=given", {1}),
        ("parts=refused", {3}),
        ("parts=no_rubric", {2}),
        ("parts=unusable", {2}),
        ("parts=refused&state=in_review", set()),
    ],
)
def test_filters_in_the_address_narrow_the_list(author, project, query, numbers):
    make_spec(make_prompt(project, "The moon"), method="given")
    make_bare_spec(make_prompt(project, "Two"), state="in_review", method="model")
    refused = ({"type": "x", "refused": "no"},)
    make_spec(make_prompt(project, "Three"), constraints=refused, label="coding", method="model")

    page = html(author, f"?{query}")

    assert {number for number in range(1, 4) if f'href="{number}/"' in page} == numbers
    assert ("No spec matches" in page) == (not numbers)


def test_a_list_takes_six_queries_and_reads_no_texts(reviewer, project):
    for _ in range(60):
        make_spec(make_prompt(project))

    with CaptureQueriesContext(connection) as queries:
        page = html(reviewer)

    # session, person, project with roles, the rows, the frame of the list, the steps of the flow
    assert len(queries) == 6
    assert [name for name in PAYLOADS for query in queries if name in query["sql"]] == []
    assert "?after=50" in page
    assert len(page.encode()) < 100_000


def test_the_list_of_the_api_reads_no_texts_either(project, author):
    make_spec(make_prompt(project))
    sql = str(selectors.listed_specs(project).query)

    assert [name for name in PAYLOADS if name in sql] == []


# One spec


def test_a_spec_shows_its_rubric_and_its_constraints(author, project):
    prompt = make_prompt(project, "Write three paragraphs about tides.")
    spec = make_spec(prompt, "Names <the> Moon.", state="draft")
    make_criterion(
        spec, "Is short.", position=1, key="short", weight=3, bucket="composition", essential=False
    )
    make_constraint(spec, type="paragraph_count", evidence="three paragraphs", params={"op": "eq"})
    make_constraint(spec, position=1, type="poem", refused="nobody counts poems")

    page = html(author, "1/")

    for shown in (
        "Names &lt;the&gt; Moon.",
        "<mark>three paragraphs</mark>",
        "nobody counts poems",
        "75.0 %",
        spec.spec_id,
    ):
        assert shown in page
    assert "Optional" in words(author, "1/?criterion=short")


def test_htmx_gets_the_criterion_alone(author, project):
    make_spec(make_prompt(project), "First.", "Second.")

    part = html(author, "1/?criterion=c2", **{"HX-Request": "true"})

    assert "Second." in part
    assert "<html" not in part
    assert author.get(f"{SPECS}1/?criterion=c9").status_code == 404


def test_an_older_version_says_so_and_offers_no_act(author, project):
    prompt = make_prompt(project)
    make_spec(prompt)
    make_spec(prompt)

    page = html(author, "1/?version=1")

    assert "This is version 1; the newest is version 2." in page
    assert "Ask for review" not in page
    assert "Ask for review" in html(author, "1/")


def test_the_canonical_line_is_given_as_it_is(author, project):
    spec = make_spec(make_prompt(project))

    assert author.get(f"{SPECS}1/line/").content.decode() == spec.line


def test_two_versions_are_compared(author, project):
    prompt = make_prompt(project)
    make_spec(prompt, "Names the Moon.")
    make_spec(prompt, "Names the Sun.")

    page = html(author, "1/compare/")

    assert "<del>Moon</del><ins>Sun</ins>" in page
    assert "are the same" in html(author, "1/compare/?from=2&to=2")
    assert author.get(f"{SPECS}1/compare/?from=1&to=9").status_code == 404


def test_a_spec_without_an_earlier_version_compares_with_nothing(author, project):
    make_spec(make_prompt(project))

    assert author.get(f"{SPECS}1/compare/").status_code == 404


def test_rubrics_of_the_small_model_are_said_to_be_meaningless(author, project):
    asked = {"rubric": {"configuration": {"model": "small", "embedded": True}}}
    make_spec(make_prompt(project), provenance={"asked": asked})

    assert "real tokens and meaningless" in html(author, "1/")


def test_the_page_of_a_spec_takes_the_same_queries_for_any_rubric(author, project):
    small, large = make_prompt(project), make_prompt(project)
    make_spec(small)
    spec = make_spec(large, *[f"Criterion {number}." for number in range(40)])
    for position in range(20):
        make_constraint(spec, position=position, type="x")

    counts = []
    for address in ("1/", "2/"):
        with CaptureQueriesContext(connection) as queries:
            html(author, address)
        counts.append(len(queries))
    assert counts[0] == counts[1]


def test_a_prompt_shows_its_spec_as_a_part(author, project):
    make_prompt(project)
    make_spec(make_prompt(project), "Names the Moon.")

    assert "has no spec yet" in html(author, "1/part/")
    assert "Names the Moon." in html(author, "2/part/")
    assert author.get(f"{SPECS}3/part/").status_code == 404


def test_the_states_of_some_prompts_come_in_one_part(author, project):
    make_spec(make_prompt(project))
    make_prompt(project)
    make_spec(make_prompt(project), state="in_review")

    part = html(author, "states/?prompts=1,2,3,x,99999999999")

    assert re.findall(r'id="(spec-\d+)"', part) == ["spec-1", "spec-3"]
    assert "In review" in part


# Review


def post(client, address, follow=True, **data):
    return client.post(f"{SPECS}{address}", data, follow=follow)


def test_a_review_is_asked_for_with_a_reason_and_can_be_undone(author, project):
    spec = make_spec(make_prompt(project))

    page = post(author, "1/1/ask/", reason="Look at C1.").content.decode()
    spec.refresh_from_db()
    assert spec.state == "in_review"
    assert "Review was asked for." in page
    assert 'action="/p/tides/specs/1/1/unask/"' in page

    post(author, "1/1/unask/")
    spec.refresh_from_db()
    assert spec.state == "draft"


def test_a_reviewer_approves_sends_back_and_takes_an_approval_back(reviewer, project):
    spec = make_spec(make_prompt(project), state="in_review")

    post(reviewer, "1/1/approve/")
    spec.refresh_from_db()
    assert (spec.state, spec.approved_by) == ("candidate", reviewer.user)

    post(reviewer, "1/1/unapprove/")
    spec.refresh_from_db()
    assert spec.state == "in_review"

    assert "Say what has to change" in plain(post(reviewer, "1/1/back/").content.decode())
    post(reviewer, "1/1/back/", reason="Two requirements in one.")
    spec.refresh_from_db()
    assert spec.state == "draft"


def test_an_author_may_not_approve(author, project):
    make_spec(make_prompt(project), state="in_review")

    assert post(author, "1/1/approve/").status_code == 403
    assert "A reviewer approves it." in html(author, "1/")


def test_who_wrote_it_is_told_that_somebody_else_approves(reviewer, project):
    make_spec(make_prompt(project), state="in_review", author=reviewer.user)

    assert "You wrote it: somebody else has to approve it." in html(reviewer, "1/")
    assert "Somebody else than its author" in plain(post(reviewer, "1/1/approve/").content.decode())


def test_a_newer_version_that_was_saved_meanwhile_is_told(reviewer, project):
    prompt = make_prompt(project)
    spec = make_spec(prompt, state="in_review")
    make_spec(prompt)

    page = plain(post(reviewer, "1/1/approve/").content.decode())

    assert "A newer version of this spec was saved: look at that one." in page
    assert "draft v2" in page
    spec.refresh_from_db()
    assert spec.state == "in_review"


def test_chosen_specs_are_approved_after_a_look_at_how_many(reviewer, project):
    specs = [make_spec(make_prompt(project), state=state) for state in ("draft", "in_review")]
    approved = make_spec(make_prompt(project))
    services.request_review(approved, actor=reviewer.user)
    services.approve(approved, actor=reviewer.user)
    pks = [one.pk for one in (*specs, approved)]

    asked = plain(post(reviewer, "approve/", spec=pks).content.decode())
    assert "Approve 2 specs?" in asked
    assert "Under review 1 Drafts 1" in asked
    assert "Left out 1" in asked
    assert Spec.objects.filter(state="candidate").count() == 1

    done = plain(post(reviewer, "approve/", spec=pks, confirmed="1").content.decode())
    assert "2 specs were approved." in done
    assert Spec.objects.filter(state="candidate").count() == 3


@pytest.mark.parametrize("chosen", [[], ["x"], ["999999"], ["99999999999999"]])
def test_choosing_nothing_that_waits_is_told(reviewer, project, chosen):
    make_spec(make_prompt(project))

    page = plain(post(reviewer, "approve/", spec=chosen).content.decode())

    assert "None of the chosen specs waits for approval" in page


# Making


@pytest.fixture
def no_queue(monkeypatch):
    sent: list[int] = []
    monkeypatch.setattr("apps.specs.views.jobs.enqueue_job", sent.append)
    return sent


def test_specs_are_made_by_a_job_that_its_page_follows(
    author, project, no_queue, django_capture_on_commit_callbacks
):
    make_prompt(project)

    with django_capture_on_commit_callbacks(execute=True):
        page = post(author, "make/", method="given", limit="5").content.decode()

    job = Job.objects.get()
    assert no_queue == [job.pk]
    assert (job.arguments["method"], job.arguments["limit"]) == ("given", 5)
    assert job.requested_by == author.user
    assert 'hx-trigger="every 2s"' in page
    assert "0 of 1 prompts" in plain(page)


def test_a_method_that_needs_a_model_says_where_to_set_one(author, project):
    make_prompt(project)

    answer = post(author, "make/", method="model")

    assert answer.status_code == 422
    assert not Job.objects.exists()


def test_a_wrong_limit_is_told_at_its_field(author, project):
    make_prompt(project)

    answer = post(author, "make/", method="given", limit="0")

    assert answer.status_code == 422
    assert "greater than or equal to 1" in answer.content.decode()


def make_job(project, **values):
    return activity.create_job(
        kind=services.KIND,
        task="x",
        arguments={"method": "given", "limit": None, "remake": False},
        project=project,
        total=2,
        **values,
    )


def test_what_failed_is_listed_by_cause_with_its_prompt(author, project):
    job = make_job(project)
    for text, cause in (("one", "no_checker"), ("two", "nothing_given"), ("three", "no_checker")):
        SpecFailure.objects.create(
            job=job,
            prompt_revision=newest(make_prompt(project, text)),
            cause=cause,
            reason=f"Why {text} failed.",
        )

    page = words(author, f"made/{job.pk}/")
    assert "no checker answers it 2" in page
    assert "Why two failed." in page
    assert "Why one failed." not in words(author, f"made/{job.pk}/?cause=nothing_given")
    assert 'href="/p/tides/prompts/1/"' in html(author, f"made/{job.pk}/")


def test_a_job_is_paused_resumed_and_cancelled(author, project, no_queue):
    make_prompt(project)
    job = make_job(project)

    post(author, f"made/{job.pk}/pause/")
    job.refresh_from_db()
    assert job.state == "paused"
    assert "Paused by" in job.error

    post(author, f"made/{job.pk}/resume/")
    job.refresh_from_db()
    assert job.state == "queued"

    post(author, f"made/{job.pk}/cancel/")
    page = plain(post(author, f"made/{job.pk}/pause/").content.decode())
    assert "in another state by now" in page


def test_a_part_stops_asking_when_the_job_is_over(author, project):
    job = make_job(project)
    assert "No worker takes it at present" in words(author, f"made/{job.pk}/state/")

    activity.cancel_job(job=job)
    assert "hx-trigger" not in html(author, f"made/{job.pk}/state/")


def test_a_paused_job_shows_on_the_list_with_what_to_do(author, project):
    make_spec(make_prompt(project))
    activity.pause_job(job=make_job(project), reason="The server is down: start it.")

    page = words(author)
    assert "Making specs is paused" in page
    assert "The server is down: start it." in page


def test_a_job_that_stopped_for_its_model_leads_to_the_models(author, project):
    job = make_job(project)
    assert "settings/models/" not in html(author, f"made/{job.pk}/state/")

    activity.pause_job(job=job, reason="The server is down: start it.")

    assert f"/p/{project.slug}/settings/models/" in html(author, f"made/{job.pk}/state/")


def test_a_job_of_another_kind_is_not_found_here(author, project):
    job = activity.create_job(kind="judge", task="x", arguments={}, project=project)

    assert author.get(f"{SPECS}made/{job.pk}/").status_code == 404


def test_a_call_shows_its_template_and_what_is_kept_of_it(author, project):
    template = Template.objects.create(name="rubric_test")
    version = TemplateVersion.objects.create(
        template=template, version=3, text="Write.", sha256="a" * 64
    )
    store_texts([TextUse('{"criteria": []}', project.pk, timezone.now())])
    call = make_call(
        project,
        template_version_id=version.pk,
        answer_sha256=text_hash('{"criteria": []}'),
        served_model="small-1",
        finish_reason="stop",
    )

    page = words(author, f"calls/{call.pk}/")
    assert "rubric_test v3" in page
    assert "small-1" in page
    assert "{&quot;criteria&quot;: []}" in page
    assert "was dropped by the retention policy" in page

    part = html(author, f"calls/{call.pk}/", **{"HX-Request": "true", "HX-Current-URL": "x"})
    assert "<html" not in part


def test_a_call_of_another_project_is_not_found(author):
    assert author.get(f"{SPECS}calls/{make_call(make_project()).pk}/").status_code == 404
