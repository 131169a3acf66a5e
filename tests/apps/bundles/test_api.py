"""Bundles over HTTP: lists, manifests, files with ETag and Range, for members and for tokens."""

import hashlib
import json

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from apps.accounts.models import Role, Scope
from apps.bundles import services
from apps.bundles.models import BundleChunk
from tests import factories

pytestmark = pytest.mark.django_db

DATA = bytes(number % 251 for number in range(1000))


@pytest.fixture
def bundle(project, monkeypatch):
    """A bundle with a file in ten chunks."""
    monkeypatch.setattr(BundleChunk, "SIZE", 100)
    bundle = factories.make_bundle(project)
    factories.make_bundle_file(bundle, "specs.jsonl", DATA)
    return bundle


@pytest.fixture
def client(project):
    token = factories.make_token(project, Scope.BUNDLES_READ).plaintext
    return Client(headers={"authorization": f"Bearer {token}"})


@pytest.fixture(params=["/api/v1/projects/tides/bundles", "/api/v1/bundles"])
def address(request):
    """Where bundles are: under their project, and where a trainer asks."""
    return request.param


@pytest.fixture
def file(address, bundle):
    return f"{address}/{bundle.bundle_id}/files/specs.jsonl"


def body(response):
    return b"".join(response.streaming_content)


def etag():
    return f'"{hashlib.sha256(DATA).hexdigest()}"'


def test_a_file_is_sent_whole_with_what_a_reader_has_to_know(client, file):
    response = client.get(file)

    assert body(response) == DATA
    assert response.status_code == 200
    assert response["ETag"] == etag()
    assert response["Content-Length"] == "1000"
    assert response["Accept-Ranges"] == "bytes"
    assert response["Content-Type"] == "application/x-ndjson"
    assert response["Content-Disposition"] == 'attachment; filename="specs.jsonl"'


def test_head_says_the_same_without_the_bytes(client, file):
    whole, head = client.get(file), client.head(file)

    assert head.content == b""
    assert dict(head.items()) == dict(whole.items())


@pytest.mark.parametrize("known", ["{}", "W/{}", '"other", {}', "*"])
def test_who_has_it_is_told_so(client, file, known):
    response = client.get(file, headers={"if-none-match": known.format(etag())})

    assert (response.status_code, response.content) == (304, b"")
    assert response["ETag"] == etag()


def test_who_has_another_one_gets_it(client, file):
    response = client.get(file, headers={"if-none-match": '"other"'})

    assert body(response) == DATA


@pytest.mark.parametrize(
    ("asked", "first", "last"),
    [("0-99", 0, 99), ("50-449", 50, 449), ("995-", 995, 999), ("-7", 993, 999), ("9-9", 9, 9)],
)
def test_one_range_is_sent_out_of_the_chunks_it_touches(client, file, asked, first, last):
    response = client.get(file, headers={"range": f"bytes={asked}"})

    assert response.status_code == 206
    assert response["Content-Range"] == f"bytes {first}-{last}/1000"
    assert response["Content-Length"] == str(last - first + 1)
    assert body(response) == DATA[first : last + 1]


def test_only_the_chunks_of_a_range_are_read(client, file):
    response = client.get(file, headers={"range": "bytes=150-349"})

    with CaptureQueriesContext(connection) as captured:
        body(response)

    assert len(captured) == 3


def test_a_range_behind_the_end_is_416_with_the_size(client, file):
    response = client.get(file, headers={"range": "bytes=1000-"})

    assert response.status_code == 416
    assert response["Content-Range"] == "bytes */1000"
    assert response.json()["error"].startswith("The file has 1000 bytes")


@pytest.mark.parametrize("asked", ["bytes=0-1,5-6", "lines=0-9", "bytes=9-1"])
def test_what_is_no_single_range_is_answered_in_full(client, file, asked):
    response = client.get(file, headers={"range": asked})

    assert (response.status_code, body(response)) == (200, DATA)


def test_a_range_goes_on_only_with_the_same_file(client, file):
    same = client.get(file, headers={"range": "bytes=0-9", "if-range": etag()})
    other = client.get(file, headers={"range": "bytes=0-9", "if-range": '"other"'})
    weak = client.get(file, headers={"range": "bytes=0-9", "if-range": f"W/{etag()}"})

    assert [one.status_code for one in (same, other, weak)] == [206, 200, 200]


def test_a_text_is_plain(client, address, bundle):
    factories.make_bundle_file(bundle, "templates/judge.txt", b"Is it so?\n")

    response = client.get(f"{address}/{bundle.bundle_id}/files/templates/judge.txt")

    assert response["Content-Type"] == "text/plain; charset=utf-8"
    assert response["Content-Disposition"] == 'attachment; filename="judge.txt"'


def test_an_empty_file_is_sent(client, address, bundle):
    factories.make_bundle_file(bundle, "calibration.json", b"")

    response = client.get(f"{address}/{bundle.bundle_id}/files/calibration.json")

    assert (body(response), response["Content-Length"]) == (b"", "0")


def test_a_frozen_manifest_is_sent_as_it_was_frozen(client, address, ready, freeze):
    bundle = freeze(ready).bundle

    response = client.get(f"{address}/{bundle.bundle_id}")

    manifest = bundle.files.get(path="manifest.json")
    assert response["ETag"] == f'"{manifest.sha256}"'
    assert json.loads(body(response))["bundle_id"] == bundle.bundle_id


def test_bundles_are_listed_newest_first_with_what_was_retracted(client, address, ready, freeze):
    first = freeze(ready).bundle
    factories.make_bundle(ready)
    services.retract_bundle(bundle=first, reason="The rubric was wrong.")

    newest, oldest = client.get(address).json()["items"]

    assert (newest["specs"], newest["retracted_reason"]) == (0, "")
    assert (oldest["bundle_id"], oldest["specs"]) == (first.bundle_id, 2)
    assert oldest["retracted_reason"] == "The rubric was wrong."


def test_a_list_reads_no_manifests(client, address, bundle):
    with CaptureQueriesContext(connection) as captured:
        client.get(address)

    assert not any('"manifest"' in query["sql"] for query in captured.captured_queries)


def test_lists_come_in_pages(client, address, project):
    for _number in range(3):
        factories.make_bundle(project)

    first = client.get(f"{address}?limit=2").json()
    last = client.get(f"{address}?limit=2&after={first['next']}").json()

    assert (len(first["items"]), len(last["items"]), last["next"]) == (2, 1, None)


def test_a_file_that_is_not_there_is_404(client, address, bundle):
    response = client.get(f"{address}/{bundle.bundle_id}/files/other.txt")

    assert (response.status_code, "error" in response.json()) == (404, True)


@pytest.mark.parametrize("place", ["", "/files/specs.jsonl"])
def test_a_token_of_another_project_finds_nothing(bundle, address, place):
    token = factories.make_token(factories.make_project("other")).plaintext
    stranger = Client(headers={"authorization": f"Bearer {token}"})

    assert stranger.get(f"{address}/{bundle.bundle_id}{place}").status_code == 404


def test_a_token_without_the_scope_is_refused(project, file):
    token = factories.make_token(project, Scope.REWARDS_READ).plaintext

    assert Client(headers={"authorization": f"Bearer {token}"}).get(file).status_code == 403


def test_without_a_token_there_is_nothing(file):
    assert Client().get(file).status_code == 401


def test_a_member_reads_under_the_project(project, bundle):
    member = Client()
    member.force_login(factories.make_member(project, Role.AUDITOR))

    response = member.get(f"/api/v1/projects/tides/bundles/{bundle.bundle_id}/files/specs.jsonl")

    assert body(response) == DATA
