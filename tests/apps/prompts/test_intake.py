"""An uploaded file on its way to an import: looked at, checked, imported, each exactly once."""

import gzip
import json
import os
import re
import time
from dataclasses import replace
from threading import Event, Thread

import pytest
from django.db import connection

from apps.accounts.models import Role
from apps.activity import services as activity
from apps.activity.errors import BadInput, Conflict
from apps.activity.models import Job
from apps.activity.services import beating
from apps.prompts import services
from apps.prompts.models import Import, Prompt, Upload
from apps.prompts.services import IMPORTER, intake, preview
from apps.prompts.services.preview import LOOKED_AT_BYTES
from tests.factories import make_member, make_project

# What a job writes is seen by another connection, which beats for it meanwhile.
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def folder(settings, tmp_path):
    settings.UPLOADS_DIR = tmp_path / "uploads"
    settings.UPLOADS_DIR.mkdir()
    return settings.UPLOADS_DIR


@pytest.fixture
def project():
    return make_project("tides")


@pytest.fixture
def author(project):
    return make_member(project, Role.AUTHOR)


@pytest.fixture
def upload(project, author, tmp_path):
    def send(content, name="rows.jsonl"):
        if isinstance(content, list):
            content = "".join(json.dumps(row) + "\n" for row in content)
        received = tmp_path / "received"
        received.write_bytes(content if isinstance(content, bytes) else content.encode())
        kept = services.save_upload(
            project=project,
            kind=Import.Kind.PROMPTS,
            received=received,
            filename=name,
            size=received.stat().st_size,
            actor=author,
        )
        received.unlink()
        return kept

    return send


def carry(job, **options):
    went_back = services.carry_upload(job=job, importer=IMPORTER, worker="test", **options)
    job.refresh_from_db()
    return went_back


def check(upload, author):
    job = services.start_check(upload, IMPORTER, actor=author)
    carry(job)
    return job


def said(**options):
    return {**intake.UNSAID, **options}


ROWS = [{"id": 1, "prompt": "Why?"}, {"id": 2, "prompt": None}, {"id": 3, "prompt": "How?"}]


def test_a_check_tells_what_an_import_would_do_and_takes_nothing(author, upload):
    job = check(upload(ROWS), author)

    assert job.state == Job.State.DONE
    assert {name: job.result[name] for name in ("new", "rejected", "rows")} == {
        "new": 2,
        "rejected": 1,
        "rows": 3,
    }
    assert job.result["rejects"][0]["line"] == 2
    assert not Prompt.objects.exists()


def test_an_import_takes_the_rows_keeps_its_record_and_drops_the_file(author, upload):
    kept = upload(ROWS)
    services.change_upload(kept, IMPORTER, options=said(licence="CC0"), extra={})
    check(kept, author)
    job = services.start_import(kept, IMPORTER, actor=author)
    carry(job)

    kept.refresh_from_db()
    assert (kept.source.new, kept.source.rejected, kept.source.licence) == (2, 1, "CC0")
    assert kept.source.created_by == author
    assert (job.done, job.total) == (3, 3)
    assert not kept.path.exists()


def test_an_unchecked_file_is_not_imported(author, upload):
    with pytest.raises(Conflict, match="Check the file first"):
        services.start_import(upload(ROWS), IMPORTER, actor=author)


def test_saying_something_else_makes_the_check_void(author, upload):
    kept = upload(ROWS)
    check(kept, author)
    services.change_upload(kept, IMPORTER, options=said(columns={"prompt": "id"}), extra={})

    with pytest.raises(Conflict, match="Check the file first"):
        services.start_import(kept, IMPORTER, actor=author)


def test_saying_the_same_keeps_the_check(author, upload):
    kept = upload(ROWS)
    job = check(kept, author)

    assert services.change_upload(kept, IMPORTER, options=said(), extra={}).check_job == job


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"format": "xml"}, "There is no format 'xml'"),
        ({"columns": {"poem": "x"}}, "There is no part 'poem'"),
        ({"licence": "x" * 101}, "licence has at most 100 characters"),
    ],
)
def test_what_no_import_takes_is_refused_at_once(upload, options, sentence):
    with pytest.raises(BadInput, match=sentence):
        services.change_upload(upload(ROWS), IMPORTER, options=said(**options), extra={})


def test_a_file_is_imported_once_only(author, upload):
    kept = upload(ROWS)
    check(kept, author)
    carry(services.start_import(kept, IMPORTER, actor=author))

    with pytest.raises(Conflict, match="imported already, as import 1"):
        services.start_import(kept, IMPORTER, actor=author)


def test_two_jobs_never_work_on_one_file(author, upload):
    kept = upload(ROWS)
    services.start_check(kept, IMPORTER, actor=author)

    with pytest.raises(Conflict, match="A job is at work"):
        services.start_check(kept, IMPORTER, actor=author)


def test_a_file_that_cannot_be_used_fails_its_job_with_the_sentence(author, upload):
    job = check(upload("  \n"), author)

    assert (job.state, job.error_cause) == (Job.State.FAILED, "bad_input")
    assert "nothing but white space" in job.error


def test_a_message_that_comes_twice_imports_once(author, upload):
    kept = upload(ROWS)
    check(kept, author)
    job = services.start_import(kept, IMPORTER, actor=author)
    carry(job)
    carry(job)

    assert Import.objects.count() == 1


def test_a_worker_that_is_told_to_end_gives_the_whole_file_back(author, upload):
    kept = upload(ROWS)
    check(kept, author)
    job = services.start_import(kept, IMPORTER, actor=author)

    assert carry(job, ending=lambda: True)
    assert job.state == Job.State.QUEUED
    assert not Prompt.objects.exists()

    carry(job)
    assert Prompt.objects.count() == 2


def test_a_worker_that_dies_in_the_middle_leaves_nothing_and_another_takes_all(author, upload):
    kept = upload(ROWS)
    check(kept, author)
    job = services.start_import(kept, IMPORTER, actor=author)

    def die(*_arguments, **_options):
        raise SystemExit

    with pytest.raises(SystemExit):
        services.carry_upload(
            job=job, importer=replace(IMPORTER, take=taking_then(die)), worker="one"
        )
    assert not Prompt.objects.exists()
    assert Job.objects.get(pk=job.pk).state == Job.State.RUNNING
    Job.objects.filter(pk=job.pk).update(state=Job.State.QUEUED)  # as the reaper does
    job.refresh_from_db()

    carry(job)
    assert (Prompt.objects.count(), Import.objects.count()) == (2, 1)


def taking_then(after):
    def take(upload, file, **options):
        IMPORTER.take(upload, file, **options)
        return after()

    return take


def test_a_cancelled_import_takes_nothing(author, upload, monkeypatch):
    monkeypatch.setattr(beating, "BEAT_SECONDS", 0.02)
    kept = upload(ROWS)
    check(kept, author)
    job = services.start_import(kept, IMPORTER, actor=author)
    written = Event()

    def take(upload, file, *, watch, **options):
        IMPORTER.take(upload, file, watch=watch, **options)
        written.set()
        for rows in range(1000):
            time.sleep(0.01)
            watch(rows)
        raise AssertionError("nobody told it to stop")

    canceller = Thread(target=cancel, args=(job, written))
    canceller.start()
    services.carry_upload(job=job, importer=replace(IMPORTER, take=take), worker="one")
    canceller.join()

    assert not Prompt.objects.exists()
    assert Upload.objects.get(pk=kept.pk).source is None


def cancel(job, written):
    written.wait(10)
    activity.cancel_job(job=Job.objects.get(pk=job.pk))
    connection.close()


def test_a_preview_shows_rows_parts_and_what_will_be_rejected(upload):
    look = preview(upload(ROWS), IMPORTER)

    assert (look.format, look.encoding, look.whole) == ("jsonl", "utf-8", True)
    assert look.headers == [("id", "id"), ("prompt", "prompt")]
    assert [row.cells for row in look.rows] == [["1", "Why?"], ["2", ""], ["3", "How?"]]
    assert [row.problem for row in look.rows] == ["", "the prompt is null.", ""]


def test_a_preview_follows_the_column_that_a_person_named(upload):
    kept = upload("story,prompt\nOnce,x\n", name="t.csv")
    services.change_upload(kept, IMPORTER, options=said(columns={"prompt": "story"}), extra={})
    kept.refresh_from_db()

    look = preview(kept, IMPORTER)

    part = look.parts[0]
    assert (part.name, part.column, part.said) == ("prompt", "story", True)
    assert look.delimiter_name == "commas between fields"


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "is empty"),
        (b"PAR1....", "is a Parquet file"),
        (gzip.compress(b'{"prompt": "a"}\n', mtime=0)[:-12], "cannot be unpacked"),
        (b'{\n"a": 1}', "one JSON object over many lines"),
        ("名前,値\n".encode("euc_jp"), "its encoding is not clear|which is not certain"),
    ],
)
def test_a_file_without_a_preview_says_why(upload, content, sentence):
    look = preview(upload(content), IMPORTER)

    assert look.rows == []
    assert re.search(sentence, look.problem)


def test_a_large_file_is_told_from_its_beginning(upload):
    row = json.dumps({"prompt": "海" * 300}, ensure_ascii=False) + "\n"
    look = preview(upload(row * (LOOKED_AT_BYTES // 900 + 2000)), IMPORTER)

    assert (look.whole, look.encoding, len(look.rows)) == (False, "utf-8", 20)
    assert [row.problem for row in look.rows] == [""] * 20


LONG = json.dumps({"prompt": "y" * (LOOKED_AT_BYTES + 1)})


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
@pytest.mark.parametrize(
    ("content", "shown"),
    [
        (LONG + "\n", []),
        (f'{{"prompt": "a"}}\n{LONG}\n', ["a"]),
        (f'[{{"prompt": "a"}}, {LONG}]', ["a"]),
        ('prompt\na\n"' + "y\n" * LOOKED_AT_BYTES + '"\n', ["a"]),
    ],
)
def test_a_row_that_ends_beyond_the_beginning_is_not_called_bad(upload, pack, content, shown):
    look = preview(upload(pack(content.encode())), IMPORTER)

    assert (look.whole, look.problem) == (False, "")
    assert [(row.cells, row.problem) for row in look.rows] == [([one], "") for one in shown]


def test_the_whole_of_a_packed_file_is_told_as_whole_again_and_again(upload):
    kept = upload(gzip.compress(json.dumps({"prompt": "y" * (LOOKED_AT_BYTES - 99)}).encode()))

    assert [preview(kept, IMPORTER).whole for _time in range(2)] == [True, True]


def test_a_packed_file_is_looked_at_unpacked_and_leaves_nothing(author, upload, folder):
    kept = upload(gzip.compress(b"id\tprompt\n1\ta\n", mtime=0), name="t.tsv.gz")
    look = preview(kept, IMPORTER)

    assert (look.delimiter_name, look.rows[0].cells) == ("tabs between fields", ["1", "a"])
    check(kept, author)
    carry(services.start_import(kept, IMPORTER, actor=author))
    assert list(folder.iterdir()) == []


def test_files_that_nobody_imports_are_dropped_after_a_week(upload, folder):
    old, young = upload(ROWS), upload(ROWS)
    long_ago = time.time() - 8 * 24 * 3600
    os.utime(old.path, (long_ago, long_ago))

    assert services.forget_uploads() == 1
    assert young.path.exists()
    assert "no longer here" in preview(old, IMPORTER).problem
