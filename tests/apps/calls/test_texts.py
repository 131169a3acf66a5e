from datetime import UTC, datetime

import pytest

from apps.activity.errors import Conflict
from apps.activity.models import AuditEvent
from apps.calls import services
from apps.calls.models import Call, Text
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
    services.store_texts(["a long text", "another text: äöü 漢字"])

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

    event = AuditEvent.objects.get(verb="call_texts.dropped")
    assert event.detail["texts"] >= 1
