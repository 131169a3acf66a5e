"""Importing on the pages: choose, look, check, import, report."""

import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from apps.accounts.models import Role
from apps.activity import services as activity
from apps.prompts.models import Import, Prompt, Upload
from tests.factories import make_import, make_member, make_project

# Jobs run at once in tests; what they write is seen by another connection, which beats for them.
pytestmark = pytest.mark.django_db(transaction=True)
PICK = "/p/tides/prompts/import/"


@pytest.fixture(autouse=True)
def folder(settings, tmp_path):
    settings.UPLOADS_DIR = tmp_path / "uploads"
    return settings.UPLOADS_DIR


@pytest.fixture
def project():
    return make_project("tides", name="Tides")


@pytest.fixture
def author(client, project):
    client.force_login(make_member(project, Role.AUTHOR))
    return client


def send(client, content, name="rows.jsonl", follow=True):
    file = SimpleUploadedFile(name, content if isinstance(content, bytes) else content.encode())
    return client.post(PICK, {"file": file}, follow=follow)


def words(response):
    return " ".join(re.sub(r"<[^>]+>", " ", response.content.decode()).split())


def here(response):
    return response.request["PATH_INFO"]


GOOD = '{"id": 1, "prompt": "Why <b>?"}\n{"id": 2, "prompt": null}\n'


def test_a_file_goes_from_the_form_to_a_report(author):
    looked = send(author, GOOD)
    assert "Why &lt;b&gt;?" in looked.content.decode()
    assert "Will be rejected: the prompt is null." in words(looked)

    checked = author.post(
        f"{here(looked)}check/", {"licence": "CC0", "format": "auto"}, follow=True
    )
    assert "New 1 Identical 0 Changed 0 Rejected 1" in words(checked)
    assert "Import 1 row" in words(checked)
    assert not Prompt.objects.exists()

    done = author.post(f"{here(looked)}commit/", follow=True)
    assert "Imported as import 1." in words(done)
    assert "Check all rows" not in words(done)
    assert Import.objects.get().licence == "CC0"
    assert Prompt.objects.get().key == "1"


def test_the_file_is_written_to_the_folder_and_gone_after_the_import(author, folder):
    looked = send(author, GOOD)
    assert [one.name for one in folder.iterdir()] == [Upload.objects.get().key.hex]

    author.post(f"{here(looked)}check/", {"format": "auto"})
    author.post(f"{here(looked)}commit/")
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize(
    ("content", "name", "sentence"),
    [
        (b"", "empty.jsonl", "empty.jsonl is empty: there is nothing to import."),
        (b"PAR1....", "x.parquet", "x.parquet is a Parquet file: export it as JSONL or CSV."),
        ("prompt\nпривет мир\n".encode("koi8-r"), "r.csv", "it may be"),
        (b"\xef\xbb\xbf  \n", "bom.csv", "holds nothing but white space"),
        (b"a,a\n1,2\n", "t.csv", "The header names the column 'a' 2 times: rename all but one."),
    ],
)
def test_a_file_that_cannot_be_read_is_shown_with_why(author, content, name, sentence):
    page = words(send(author, content, name))

    assert "This file cannot be read as it is" in page
    assert sentence in page.replace("&#x27;", "'")


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b'{"prompt": "ok"}\n{"prompt": 3}\n', "a text or a list of messages is needed"),
        (b'{"prompt": "ok"}\n{"prompt": "a\\u0000b"}\n', "holds a NUL character"),
        (b'{"prompt": "ok"}\n{"prompt": "\\ud800"}\n', "half of a surrogate pair"),
        (b'{"prompt": "n\xc3\xa9"}\n{"prompt": "\xff\xc3"}\n', "the byte 0xFF is not UTF-8"),
        (b'{"prompt": "ok"}\n[1]\n', "a row is an object with keys, and this is a list."),
    ],
)
def test_a_bad_row_is_listed_by_its_line_and_the_rest_counts(author, content, sentence):
    looked = send(author, content)
    page = words(author.post(f"{here(looked)}check/", {"format": "auto"}, follow=True))

    assert sentence in page
    assert "New 1 Identical 0 Changed 0 Rejected 1" in page


def test_line_separators_within_a_text_end_no_row(author):
    looked = send(author, '{"prompt": "one\u2028two\x85three"}\n')
    page = words(author.post(f"{here(looked)}check/", {"format": "auto"}, follow=True))

    assert "New 1 Identical 0 Changed 0 Rejected 0" in page


def test_a_named_encoding_lets_a_file_be_read(author):
    looked = send(author, "prompt\nпривет мир\n".encode("koi8-r"), "r.csv")
    said = {"format": "auto", "encoding": "koi8-r", "look": "1"}

    assert "привет мир" in words(author.post(f"{here(looked)}check/", said, follow=True))


def test_too_much_is_refused_before_it_is_read(author, settings, folder):
    settings.IMPORT_MAX_BYTES = 100
    answer = send(author, "x" * 100_000, follow=False)

    assert answer.status_code == 422
    assert "larger than 100 bytes, the largest import here" in words(answer)
    assert not folder.exists()


def test_too_much_is_refused_while_it_comes(author, settings, folder):
    settings.IMPORT_MAX_BYTES = 100
    answer = send(author, "x" * 1000, follow=False)

    assert answer.status_code == 422
    assert list(folder.iterdir()) == []


def test_a_full_disk_is_said_and_leaves_nothing(author, settings, tmp_path):
    (tmp_path / "file").write_text("no folder")
    settings.UPLOADS_DIR = tmp_path / "file" / "uploads"
    answer = send(author, GOOD, follow=False)

    assert answer.status_code == 503
    assert "make room in the data folder" in words(answer)
    assert not Upload.objects.exists()


def test_no_file_is_said(author):
    assert "No file came along" in words(author.post(PICK, {}))


def test_a_form_without_its_token_is_refused(project):
    client = Client(enforce_csrf_checks=True)
    client.force_login(make_member(project, Role.AUTHOR))

    assert send(client, GOOD).status_code == 403
    assert not Upload.objects.exists()


def test_a_second_click_says_that_a_job_is_at_work(author, monkeypatch):
    looked = send(author, GOOD)
    monkeypatch.setattr("apps.prompts.views.importing.enqueue_job", lambda _pk: None)
    author.post(f"{here(looked)}check/", {"format": "auto"})
    again = author.post(f"{here(looked)}check/", {"format": "auto"}, follow=True)

    assert "A job is at work on this file" in words(again)


def test_a_waiting_job_asks_again_and_says_when_no_worker_lives(author, monkeypatch):
    looked = send(author, GOOD)
    monkeypatch.setattr("apps.prompts.views.importing.enqueue_job", lambda _pk: None)
    author.post(f"{here(looked)}check/", {"format": "auto"})

    part = author.get(f"{here(looked)}state/", headers={"HX-Request": "true"})
    assert 'hx-trigger="every 1s"' in part.content.decode()
    assert "<html" not in part.content.decode()
    assert "No worker takes it at present. Nothing is lost" in words(part)


def test_a_part_stops_asking_when_the_job_is_over(author):
    looked = send(author, GOOD)
    author.post(f"{here(looked)}check/", {"format": "auto"})

    part = author.get(f"{here(looked)}state/", headers={"HX-Request": "true"})
    assert "hx-trigger" not in part.content.decode()


def test_a_check_that_failed_can_be_made_again(author, folder):
    looked = send(author, GOOD)
    held = next(folder.iterdir()).read_bytes()
    next(folder.iterdir()).write_bytes(b"   ")
    failed = author.post(f"{here(looked)}check/", {"format": "auto"}, follow=True)
    assert "It did not work" in words(failed)

    next(folder.iterdir()).write_bytes(held)
    again = author.post(f"{here(looked)}check/", {"format": "auto"}, follow=True)
    assert "What an import would do" in words(again)


def test_a_lost_worker_is_told(author):
    looked = send(author, GOOD)
    author.post(f"{here(looked)}check/", {"format": "auto"})
    upload = Upload.objects.get()
    job = activity.create_job(kind="x", task="x", arguments={}, project=upload.project)
    activity.fail_job(job=job, cause="lost_worker", error="Each worker stopped.")
    upload.import_job = job
    upload.save()

    assert "Each worker stopped." in words(author.get(here(looked)))


def test_the_rejects_of_an_import_are_shown_and_downloaded(author, project):
    source = make_import(project, rejected=1)
    source.rejects.create(line=3, column=7, reason="not a list", excerpt="=1+1")

    assert "3 7 not a list =1+1" in words(author.get("/p/tides/prompts/imports/1/"))
    answer = author.get("/p/tides/prompts/imports/1/rejects.csv")
    lines = b"".join(answer.streaming_content).decode().split("\r\n")
    assert lines[:2] == ["line,column,reason,row", "3,7,not a list,'=1+1"]
    assert "attachment" in answer["Content-Disposition"]


def test_who_may_only_read_imports_nothing(client, project):
    client.force_login(make_member(project, Role.AUDITOR))

    assert client.get(PICK).status_code == 403
    assert "Import prompts" not in client.get("/p/tides/prompts/").content.decode()


def test_files_that_wait_and_files_that_were_imported_are_listed(author, project):
    send(author, GOOD, "waiting.jsonl")
    make_import(project, finished_at=timezone.now(), new=12)

    page = words(author.get(PICK))
    assert "waiting.jsonl" in page
    assert "1 file.jsonl 12 0 0 0" in page
