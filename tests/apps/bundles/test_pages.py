"""The pages of bundles: freezing by a checklist, and what a bundle shows of itself."""

import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from apps.accounts.models import Role
from apps.activity.models import Job
from apps.bundles import selectors, services, tasks
from apps.bundles.models import Bundle
from apps.bundles.services import background
from apps.bundles.services.checklist import CHECKS
from apps.bundles.views.freezing import BEHIND
from apps.calls.services import seed_models
from apps.rewards.services import save_config
from apps.specs.models import Spec
from tests import factories
from tests.apps.bundles.conftest import MODEL
from tests.apps.rewards.world import criteria, save_spec

pytestmark = pytest.mark.django_db
WISH = {"name": "tides", "config": "default"}
PAYLOADS = ('"messages"', '"columns"', '"given"', '"manifest"')


@pytest.fixture
def author(client, project):
    client.force_login(factories.make_member(project, Role.AUTHOR, user=factories.make_user("ada")))
    return client


def text(client, address, **headers):
    response = client.get(f"/p/tides/bundles/{address}", headers=headers)
    assert response.status_code == 200, response.content.decode()
    return response.content.decode()


def post(client, address, data=None):
    return client.post(f"/p/tides/bundles/{address}", data or {}, follow=True)


def test_without_a_bundle_the_list_leads_to_the_checklist(author):
    assert "Open the checklist" in text(author, "")


def test_every_check_knows_where_its_list_is():
    assert {check.name for check in CHECKS} == set(BEHIND)


def test_the_checklist_shows_what_is_well_and_what_is_open(author, project, prompt, reviewer):
    seed_models(MODEL)

    page = text(author, "freeze/")

    assert "1 open item" in page
    assert "1 spec is not approved: <bdi>prompt 1</bdi>" in page
    assert "Reviewers here: <bdi>reviewer</bdi>" in page
    assert page.count('class="check done"') == len(CHECKS) - 1


def test_behind_each_open_item_is_its_list(author, project, prompt):
    page = text(author, "freeze/")

    links = re.findall(r'class="muted">[^<]*<a href="([^"]*)"', page)
    assert "/p/tides/specs/?state=unapproved" in links
    client = Client()
    client.force_login(factories.make_member(project, *Role))
    assert {client.get(link).status_code for link in links} == {200}


def test_looking_at_the_checklist_writes_nothing(author, project, prompt):
    text(author, "freeze/?name=other&config=default")

    assert not project.reward_configs.exists()
    assert not Bundle.objects.exists()


def test_what_will_be_written_is_counted(author, ready):
    ready.prompts.filter(number=2).update(split="test")
    factories.make_prompt(ready, key="without-a-spec")

    page = text(author, "freeze/")

    assert "1 test, 1 train" in page or "1 train, 1 test" in page
    assert "no spec of theirs can score" in page
    assert "a-real-judge" in page


def test_with_nothing_open_one_button_freezes(author, ready):
    response = post(author, "freeze/", WISH)

    bundle = Bundle.objects.get()
    assert response.redirect_chain[-1][0] == "/p/tides/bundles/1/"
    assert "Frozen as tides v1." in response.content.decode()
    assert bundle.frozen_by is not None
    assert bundle.manifest["waivers"] == []


def test_the_same_content_is_the_same_bundle_and_the_page_says_so(author, ready):
    post(author, "freeze/", WISH)

    response = post(author, "freeze/", {**WISH, "name": "another name"})

    assert "one content is one bundle, tides v1." in response.content.decode()
    assert Bundle.objects.count() == 1


@pytest.mark.parametrize(
    "said",
    [
        {},
        {"reason_no_judge": "a try"},
        {"reason_unapproved_specs": "a try"},
        {"reason_no_judge": "a try", "reason_unapproved_specs": "  "},
    ],
)
def test_each_open_item_is_taken_with_a_reason_of_its_own_or_not_at_all(author, prompt, said):
    response = post(author, "freeze/", {**WISH, **said})

    assert response.status_code == 422
    assert "Put it right, or say why it may stay open." in response.content.decode()
    assert not Bundle.objects.exists()


def test_checking_again_with_another_name_keeps_the_reasons_that_were_typed(author, prompt):
    page = text(author, "freeze/?name=other&config=default&reason_unapproved_specs=a+first+try")

    assert "a first try</textarea>" in page


def test_who_takes_an_item_and_why_stands_in_the_bundle(author, prompt):
    reasons = {"reason_unapproved_specs": "a first try", "reason_no_judge": "code alone scores"}

    post(author, "freeze/", {**WISH, **reasons})

    said = {"count": 1, "by": "ada"}
    assert Bundle.objects.get().manifest["waivers"] == [
        {"item": "unapproved_specs", "reason": "a first try", **said},
        {"item": "no_judge", "reason": "code alone scores", **said},
    ]
    assert "code alone scores" in text(author, "1/")


def test_a_reviewer_approves_on_the_checklist_and_freezes_nothing(
    client, project, prompt, reviewer
):
    client.force_login(reviewer)

    assert "Approve all of them as reviewer" in text(client, "freeze/")
    post(client, "freeze/approve/")

    assert Spec.objects.get().approved_by == reviewer
    assert post(client, "freeze/", WISH).status_code == 403


def test_nobody_approves_what_they_wrote(client, project, source):
    both = factories.make_member(project, Role.AUTHOR, Role.REVIEWER)
    client.force_login(both)
    prompt = factories.make_prompt(project, source=source)
    save_spec(prompt, criteria({"cause": 1}), author=both)

    response = post(client, "freeze/approve/")

    assert "somebody else has to approve it" in response.content.decode()
    assert Spec.objects.get().state == "draft"


def test_an_author_may_not_approve(author, prompt):
    assert post(author, "freeze/approve/").status_code == 403


def test_a_large_project_is_frozen_in_the_background(
    author, ready, monkeypatch, django_capture_on_commit_callbacks
):
    monkeypatch.setattr(background, "MOST_AT_ONCE", 1)
    sent: list[int] = []
    monkeypatch.setattr("apps.bundles.views.freezing.enqueue_job", sent.append)

    with django_capture_on_commit_callbacks(execute=True):
        response = post(author, "freeze/", WISH)

    job = Job.objects.get(kind=selectors.FREEZE_JOB)
    assert sent == [job.pk]
    assert "A bundle is being frozen." in response.content.decode()

    tasks.freeze(job_id=job.pk, **job.arguments)

    job.refresh_from_db()
    assert (job.state, job.result) == (Job.State.DONE, {"bundle": 1, "is_new": True})
    frozen_by = Bundle.objects.get().frozen_by
    assert frozen_by is not None
    assert frozen_by.username == "ada"
    assert "hx-trigger" not in text(author, "", hx_request="true")


def test_a_job_that_cannot_freeze_says_why(project, prompt, freeze):
    config = save_config(project=project, name="own", settings={"aggregator": "hybrid"})
    job = services.start_freezing(project=project, config=config)

    tasks.freeze(job_id=job.pk)

    job.refresh_from_db()
    assert job.state == Job.State.FAILED
    assert "The freeze checklist has open items." in job.error


def test_the_list_shows_name_id_specs_and_who_and_reads_no_manifest(author, ready, freeze):
    bundle = freeze(ready).bundle

    with CaptureQueriesContext(connection) as queries:
        page = text(author, "")

    for shown in ("tides v1", bundle.bundle_id, 'data-label="Specs">2<', "default v1"):
        assert shown in page
    assert [name for name in PAYLOADS for query in queries if name in query["sql"]] == []
    assert len(queries) <= 7


@pytest.mark.parametrize(
    ("query", "found"), [("q=tide", True), ("q=moon", False), ("state=retracted", False)]
)
def test_filters_narrow_the_list(author, ready, freeze, query, found):
    freeze(ready)

    assert ("tides v1" in text(author, f"?{query}")) == found


def test_a_bundle_shows_its_files_with_size_and_hash_and_how_to_verify(author, ready, freeze):
    bundle = freeze(ready).bundle

    page = text(author, "1/")

    for file in bundle.files.all():
        assert file.path in page
        assert file.sha256 in page
    assert f"rubricstudio verify tides-v1 --id {bundle.bundle_id}" in page


def test_each_file_is_downloaded_as_it_was_frozen(author, ready, freeze):
    bundle = freeze(ready).bundle
    file = bundle.files.get(path="specs.jsonl")
    address = f"/api/v1/projects/tides/bundles/{bundle.bundle_id}/files/specs.jsonl"
    assert address in text(author, "1/")

    response = author.get(address)

    assert b"".join(response.streaming_content) == b"".join(selectors.read_bytes(file))


@pytest.mark.parametrize("kind", ["tar", "zip"])
def test_who_asks_what_a_download_would_be_gets_its_name_and_none_of_it(author, ready, kind):
    post(author, "freeze/", WISH)

    answer = author.head(f"/p/tides/bundles/1/bundle.{kind}")

    assert answer.headers["Content-Disposition"] == f'attachment; filename="tides-v1.{kind}"'
    assert b"".join(answer.streaming_content) == b""


@pytest.mark.parametrize("kind", ["tar", "zip"])
def test_the_whole_bundle_is_streamed_as_an_archive(author, ready, freeze, kind):
    freeze(ready)

    response = author.get(f"/p/tides/bundles/1/bundle.{kind}")

    assert response.streaming
    assert response.headers["Content-Disposition"] == f'attachment; filename="tides-v1.{kind}"'
    data = b"".join(response.streaming_content)
    assert "Content-Length" not in response.headers or len(data) == int(
        response.headers["Content-Length"]
    )


def test_what_changed_since_is_counted(author, ready, freeze, prompt, source):
    freeze(ready)
    assert "The same specs would be frozen now." in text(author, "1/since/")
    save_spec(prompt, criteria({"cause": 1}))
    save_spec(factories.make_prompt(ready, source=source), criteria({"cause": 1}))
    ready.prompts.filter(key="greeting").update(archived_at="2026-01-01T00:00Z")

    changes = selectors.changed_since(ready, Bundle.objects.get())

    assert changes == selectors.Since(changed=1, new=1, retired=1)
    page = text(author, "1/since/")
    assert "Freeze the next version" in page
    for part, number, version in (("changed", 1, 2), ("new", 3, 1), ("retired", 2, 1)):
        assert f'<a href="/p/tides/bundles/1/since/{part}/">1</a>' in page
        listed = text(author, f"1/since/{part}/")
        behind = re.findall(r'href="(/p/tides/specs/\d+/\?version=\d+)"', listed)
        assert behind == [f"/p/tides/specs/{number}/?version={version}"]


def test_a_number_that_is_not_counted_has_no_page(author, ready, freeze):
    freeze(ready)

    assert author.get("/p/tides/bundles/1/since/everything/").status_code == 404


def test_a_newer_configuration_is_told(author, ready):
    settings = {"aggregator": "hybrid"}
    save_config(project=ready, name="own", settings=settings)
    post(author, "freeze/", {**WISH, "config": "own"})
    save_config(project=ready, name="own", settings={**settings, "components": "R"})

    assert "newer version, own v2" in text(author, "1/since/")


def test_versions_lead_to_each_other(author, ready, freeze, prompt, reviewer):
    freeze(ready)
    save_spec(prompt, criteria({"cause": 1}))
    freeze(ready, approve_as=reviewer)

    assert 'href="/p/tides/bundles/2/"' in text(author, "1/")
    assert 'href="/p/tides/bundles/1/"' in text(author, "2/")


def test_retracting_needs_the_name_and_a_reason(author, ready, freeze):
    freeze(ready)

    assert post(author, "1/retract/", {"typed": "tides v1"}).status_code == 422
    assert post(author, "1/retract/", {"typed": "tides", "reason": "wrong"}).status_code == 422
    post(author, "1/retract/", {"typed": "tides v1", "reason": "a leaked test prompt"})

    bundle = Bundle.objects.get()
    assert bundle.retracted_reason == "a leaked test prompt"
    page = text(author, "1/")
    assert "Not to be used" in page
    assert "Retract it" not in page


def test_retracted_content_is_not_frozen_again(author, ready, freeze):
    services.retract_bundle(bundle=freeze(ready).bundle, reason="a leaked test prompt")

    response = post(author, "freeze/", WISH)

    assert response.status_code == 422
    assert "a leaked test prompt" in response.content.decode()


def test_who_only_reads_sees_bundles_and_freezes_nothing(client, ready, freeze):
    freeze(ready)
    client.force_login(factories.make_member(ready, Role.AUDITOR))

    assert "Freeze a bundle" not in text(client, "")
    assert "Retract it" not in text(client, "1/")
    assert client.get("/p/tides/bundles/freeze/").status_code == 403
    assert client.get("/p/tides/bundles/1/retract/").status_code == 403
