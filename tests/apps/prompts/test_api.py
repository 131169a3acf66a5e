"""Prompts over REST: files in, lists without payloads, single prompts with everything."""

import gzip
import json

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from apps.accounts.models import Role, Scope
from apps.prompts.models import Import, Prompt
from apps.prompts.services import ImportFile, import_prompts
from tests.factories import make_member, make_project, make_prompt, make_revision, make_token

pytestmark = pytest.mark.django_db
PAYLOADS = ("messages", "columns", '"tools"', "given")


@pytest.fixture
def project():
    return make_project("tides")


@pytest.fixture
def call(client, project):
    """A request with a token of the project that may do everything."""
    headers = {"Authorization": f"Bearer {make_token(project).plaintext}"}

    def request(method, path, **options):
        return client.generic(method, f"/api/v1/projects/tides{path}", headers=headers, **options)

    return request


def post(call, body, query="", kind="application/octet-stream"):
    return call("POST", f"/prompts{query}", data=body, content_type=kind)


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (json.dumps([{"id": 1, "prompt": "a"}]).encode(), "application/json"),
        (b'{"id": 1, "prompt": "a"}\n', "application/x-ndjson"),
        (b"id,prompt\n1,a\n", "text/csv"),
        (b"id,prompt\n1,a\n", "application/x-www-form-urlencoded"),
        (gzip.compress(b"id\tprompt\n1\ta\n", mtime=0), "application/gzip"),
    ],
)
def test_a_file_is_imported_from_the_body(call, project, body, kind):
    reply = post(call, body, kind=kind)

    assert (reply.status_code, reply.json()) == (
        200,
        {
            "number": 1,
            "new": 1,
            "identical": 0,
            "changed": 0,
            "rejected": 0,
            "rejects": [],
            "notes": [],
        },
    )
    assert project.prompts.get().key == "1"


def test_rejected_rows_come_with_the_reply_and_can_be_asked_for_later(call):
    reply = post(call, b'{"prompt": "a"}\n{"prompt": 3}\n{]\n').json()

    later = call("GET", f"/imports/{reply['number']}/rejects").json()

    assert [(one["line"], one["column"]) for one in reply["rejects"]] == [(2, None), (3, 2)]
    assert later == {"items": reply["rejects"], "next": None}


def test_the_options_of_an_import_go_into_its_record(call):
    query = "?name=tides.csv&format=csv&licence=MIT&allowed_use=research&url=https://example.org"

    post(call, b"id,prompt\n1,a\n", query)

    listed = call("GET", "/imports").json()["items"][0]
    assert (listed["filename"], listed["licence"], listed["new"]) == ("tides.csv", "MIT", 1)


def test_a_dry_run_writes_nothing(call):
    reply = post(call, b'{"prompt": "a"}\n', "?dry_run=true").json()

    assert (reply["number"], reply["new"]) == (None, 1)
    assert (Prompt.objects.count(), Import.objects.count()) == (0, 0)


@pytest.mark.parametrize(
    ("body", "query", "sentence"),
    [
        (b"", "", "upload is empty"),
        (b"PAR1", "?name=a.parquet", "a.parquet is a Parquet file"),
        (b'{"prompt": "a"}', "?format=xml", "There is no format 'xml'"),
        (b'{"prompt": "a"}', f"?licence={'x' * 101}", "licence has at most 100 characters"),
        (b'{"prompt": "a"}', "?licence=a%00b", "licence: holds a NUL character"),
    ],
)
def test_a_file_that_cannot_be_used_is_answered_by_a_sentence(call, body, query, sentence):
    reply = post(call, body, query)

    assert reply.status_code == 422
    assert sentence in reply.json()["error"]


def test_an_upload_over_the_limit_is_refused(call, settings):
    settings.IMPORT_MAX_BYTES = 10

    reply = post(call, b'{"prompt": "a"}\n')

    assert (reply.status_code, Import.objects.count()) == (422, 0)
    assert "larger than 10 bytes" in reply.json()["error"]


def test_a_form_is_refused_with_what_to_do(call):
    reply = post(call, b"--x", kind="multipart/form-data; boundary=x")

    assert "Send the file itself" in reply.json()["error"]


def test_the_list_is_paged_by_number(call, project):
    for n in range(5):
        make_prompt(project, f"Why {n}?")

    first = call("GET", "/prompts?limit=3").json()
    second = call("GET", f"/prompts?limit=3&after={first['next']}").json()

    assert [item["number"] for item in first["items"] + second["items"]] == [1, 2, 3, 4, 5]
    assert second["next"] is None


@pytest.mark.parametrize("count", [1, 20])
def test_the_list_reads_no_payload_and_needs_the_same_queries_for_any_number(call, project, count):
    for n in range(count):
        make_prompt(project, f"Why {n}? " * 500, columns={"note": "x" * 1000})

    with CaptureQueriesContext(
        connection,
    ) as queries:
        reply = call("GET", "/prompts")

    reads = [one["sql"] for one in queries if "prompts_promptrevision" in one["sql"]]
    assert len(reads) == 1
    assert not any(payload in reads[0] for payload in PAYLOADS)
    assert len(queries) <= 4
    assert len(reply.content) < 800 * count


def test_one_prompt_comes_with_its_text_and_its_revisions(call, project, save):
    row = {"id": "a", "prompt": "Why?", "context": "The Moon.", "answer": "So.", "level": 1}
    import_prompts(project, ImportFile(save([row])))
    import_prompts(project, ImportFile(save([{**row, "prompt": "Why now?"}])))

    shown = call("GET", "/prompts/1").json()

    assert shown["messages"] == [{"role": "user", "content": "Why now?"}]
    assert (shown["columns"], shown["references"]) == ({"level": 1}, ["So."])
    assert shown["passages"] == [{"position": 1, "title": "", "text": "The Moon.", "url": ""}]
    assert [(one["revision"], one["source"]) for one in shown["revisions"]] == [(2, 2), (1, 1)]


def test_an_earlier_revision_can_be_asked_for(call, project):
    prompt = make_prompt(project, "Old?")
    prompt.current = make_revision(prompt, "New?")
    prompt.save(update_fields=["current"])

    shown = call("GET", "/prompts/1?revision=1").json()

    assert (shown["revision"], shown["messages"][0]["content"]) == (1, "Old?")


def test_a_canary_is_kept_and_never_shown(call, project):
    make_prompt(project, columns={"canary": "secret-guid", "level": 1})

    reply = call("GET", "/prompts/1")

    assert reply.json()["columns"] == {"level": 1}
    assert b"secret-guid" not in reply.content


@pytest.mark.parametrize("path", ["/prompts/9", "/prompts/1?revision=9", "/imports/9/rejects"])
def test_what_is_not_there_is_not_found(call, project, path):
    make_prompt(project)

    assert call("GET", path).status_code == 404


def test_nothing_of_another_project_is_seen(call):
    other = make_project("other")
    make_prompt(other)

    assert call("GET", "/prompts").json()["items"] == []
    assert call("GET", "/prompts/1").status_code == 404
    assert call("GET", "/imports/1/rejects").status_code == 404


@pytest.mark.parametrize(
    ("scope", "reads", "writes"),
    [(Scope.PROMPTS_READ, 200, 403), (Scope.PROMPTS_WRITE, 403, 200), (Scope.SCORE, 403, 403)],
)
def test_a_token_may_do_what_its_scope_says(client, project, scope, reads, writes):
    headers = {"Authorization": f"Bearer {make_token(project, scope).plaintext}"}
    path = "/api/v1/projects/tides/prompts"

    read = client.get(path, headers=headers)
    write = client.post(path, b'{"prompt": "a"}', content_type="text/plain", headers=headers)

    assert (read.status_code, write.status_code) == (reads, writes)


@pytest.mark.parametrize(("role", "status"), [(Role.AUTHOR, 200), (Role.REVIEWER, 403)])
def test_an_author_may_import_in_the_browser(client, project, role, status):
    client.force_login(make_member(project, role))

    reply = client.post(
        "/api/v1/projects/tides/prompts", b'{"prompt": "a"}', content_type="text/plain"
    )

    assert reply.status_code == status
