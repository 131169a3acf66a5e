from datetime import UTC, datetime, timedelta
from importlib import import_module

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from apps.accounts.services import archive_project, change_settings
from apps.activity.errors import Conflict
from apps.activity.models import AuditEvent
from apps.calls import services, tasks
from apps.calls.models import Call, Text
from apps.calls.services import texts
from tests.apps.calls.conftest import make_record
from tests.factories import make_project

pytestmark = pytest.mark.django_db

OLD = datetime(2026, 1, 15, tzinfo=UTC)
LIMIT = datetime(2026, 6, 1, tzinfo=UTC)
NEW = datetime(2026, 11, 30, tzinfo=UTC)
OF_OLD, OF_BOTH = "asked long ago " * 10, "asked again and again " * 10


@pytest.fixture
def project():
    return make_project("p")


def store(endpoint, project, **values):
    asker = services.Asker(endpoint_id=endpoint.pk, role="label", project_id=project.pk)
    (pk,) = services.store_calls([make_record(**values)], asker=asker)
    return Call.objects.get(pk=pk)


def test_a_text_is_read_as_it_was_stored():
    some = ("a long text", "another text: äöü 漢字")
    services.store_texts(services.TextUse(one, None, OLD) for one in some)

    sha256 = services.text_hash("another text: äöü 漢字")
    assert services.read_texts([sha256]) == {sha256: "another text: äöü 漢字"}


def test_dropping_takes_texts_that_only_old_calls_lean_on(endpoint, project):
    store(endpoint, project, prompt=OF_OLD, started_at=OLD)
    store(endpoint, project, prompt=OF_BOTH, started_at=OLD)
    store(endpoint, project, prompt=OF_BOTH, started_at=NEW)

    services.drop_payloads(project=project, before=LIMIT)

    gone = Text.objects.filter(data__isnull=True).values_list("sha256", flat=True)
    assert list(gone) == [services.text_hash(OF_OLD)]


def test_a_text_that_another_project_sent_too_stays(endpoint, project):
    other = make_project("other")
    store(endpoint, project, prompt=OF_BOTH, started_at=OLD)
    store(endpoint, other, prompt=OF_BOTH, started_at=OLD)

    assert services.drop_payloads(project=project, before=LIMIT) == 0


def test_a_text_that_was_sent_for_no_project_stays(endpoint, project):
    store(endpoint, project, prompt=OF_BOTH, started_at=OLD)
    services.store_calls(
        [make_record(prompt=OF_BOTH, started_at=OLD)],
        asker=services.Asker(endpoint_id=endpoint.pk, role="label"),
    )

    assert services.drop_payloads(project=project, before=LIMIT) == 0


def test_a_call_without_its_texts_says_so(endpoint, project):
    call = store(endpoint, project, prompt=OF_OLD, started_at=OLD)
    services.drop_payloads(project=project, before=LIMIT)

    with pytest.raises(Conflict, match="dropped by the retention policy"):
        services.rebuild_request(call)


def test_hashes_and_numbers_of_a_call_outlive_its_texts(endpoint, project):
    call = store(endpoint, project, prompt=OF_OLD, started_at=OLD, prompt_tokens=40)
    services.drop_payloads(project=project, before=LIMIT)

    kept = Call.objects.get(pk=call.pk)
    assert (kept.request_sha256, kept.prompt_tokens) == (call.request_sha256, 40)


def test_a_dropped_text_that_is_sent_again_is_there_again(endpoint, project):
    call = store(endpoint, project, prompt=OF_OLD, started_at=OLD)
    services.drop_payloads(project=project, before=LIMIT)

    store(endpoint, project, prompt=OF_OLD, started_at=NEW)

    assert OF_OLD.strip() in services.rebuild_request(call).decode()


def test_dropping_is_written_to_the_trail(endpoint, project):
    store(endpoint, project, prompt=OF_OLD, started_at=OLD)

    services.drop_payloads(project=project, before=LIMIT)

    event = AuditEvent.objects.get(verb="project.call_texts_dropped")
    assert event.detail["texts"] >= 1


def test_where_nothing_is_dropped_the_trail_stays_silent(endpoint, project):
    store(endpoint, project, prompt=OF_OLD, started_at=NEW)

    services.drop_payloads(project=project, before=LIMIT)

    assert not AuditEvent.objects.exists()


def test_a_text_that_many_calls_of_one_day_lean_on_notes_it_once(endpoint, project):
    for hour in (0, 5, 20, 30):
        store(endpoint, project, prompt=OF_BOTH, started_at=OLD + timedelta(hours=hour))

    noted = Text.objects.get(sha256=services.text_hash(OF_BOTH))
    assert (noted.project_id, noted.used_at) == (project.pk, OLD + timedelta(hours=30))


def test_a_call_that_was_not_noted_any_more_that_day_keeps_its_text(endpoint, project):
    store(endpoint, project, prompt=OF_BOTH, started_at=OLD)
    store(endpoint, project, prompt=OF_BOTH, started_at=OLD + timedelta(hours=20))

    dropped = services.drop_payloads(project=project, before=OLD + timedelta(hours=10))

    assert dropped == 0


def test_dropping_looks_at_no_call_and_finds_its_texts_by_an_index(endpoint, project):
    store(endpoint, project, prompt=OF_OLD, started_at=OLD)
    with CaptureQueriesContext(connection) as queries:
        services.drop_payloads(project=project, before=LIMIT)
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
        cursor.execute(f"EXPLAIN {texts.DROP}", [project.pk, LIMIT, 10])
        plan = "\n".join(row[0] for row in cursor.fetchall())

    assert not any("calls_call" in one["sql"] for one in queries.captured_queries)
    assert "calls_text_by_use" in plan


def keep_for(project, days):
    change_settings(project=project, changes={"keep_call_texts_days": days})


def test_texts_are_dropped_so_many_at_a_time(endpoint, project):
    for number in range(3):
        store(endpoint, project, prompt=f"question {number} " * 10, started_at=OLD)

    dropped = [services.drop_payloads(project=project, before=LIMIT, limit=2) for _turn in range(4)]

    # Three prompts, and the body and the answer that they share.
    assert dropped == [2, 2, 1, 0]


def test_texts_go_after_the_days_that_their_project_keeps_them(endpoint, project):
    for_ever = make_project("for-ever")
    for days in (40, 20):
        made = {"started_at": timezone.now() - timedelta(days=days), "body": f'{{"d":{days}}}'}
        store(endpoint, project, prompt=f"asked {days} days ago " * 10, **made)
        store(endpoint, for_ever, prompt=f"another, {days} days ago " * 10, **made)
    keep_for(project, 30)

    tasks.drop_expired_texts()

    gone = set(Text.objects.filter(data__isnull=True).values_list("sha256", flat=True))
    assert gone == {services.text_hash("asked 40 days ago " * 10)}


def test_an_archived_project_keeps_its_texts_no_longer_than_it_said(endpoint, project):
    store(endpoint, project, prompt=OF_OLD, started_at=OLD)
    keep_for(project, 30)
    archive_project(project=project)

    assert services.drop_expired_texts() > 0


def test_what_leans_on_texts_from_before_they_noted_it_is_found_out(endpoint, project):
    store(endpoint, project, prompt=OF_OLD, started_at=OLD)
    store(endpoint, project, prompt=OF_BOTH, started_at=OLD)
    store(endpoint, make_project("other"), prompt=OF_BOTH, started_at=NEW)
    noted = "sha256", "project_id", "used_at"
    before = list(Text.objects.order_by("sha256").values_list(*noted))
    Text.objects.update(project_id=7, used_at=timezone.now())

    with connection.cursor() as cursor:
        cursor.execute(import_module("apps.calls.migrations.0005_text_uses").NOTE_USES)

    assert list(Text.objects.order_by("sha256").values_list(*noted)) == before
