import json

import pytest
from django.db import IntegrityError, connection
from django.test.utils import CaptureQueriesContext
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from apps.activity.errors import Conflict
from apps.calls import services
from apps.calls.models import Call, TemplateVersion, Text
from rubricstudio.core.types import FailureCause
from rubricstudio.llm.errors import RecordError
from rubricstudio.llm.render import request_bytes, shipped_templates
from tests.apps.calls.conftest import BODY, NONCE, make_record
from tests.factories import make_endpoint

pytestmark = pytest.mark.django_db

TEXT = st.text(max_size=200)
JSON_OBJECTS = st.dictionaries(TEXT, TEXT | st.floats(allow_nan=False) | st.integers(), min_size=1)


def stored(asker, record, **values):
    (pk,) = services.store_calls([record], asker=asker, **values)
    return Call.objects.get(pk=pk)


@hypothesis_settings(max_examples=60, deadline=None)
@given(prompt=TEXT, labels=TEXT, body=JSON_OBJECTS, nonce=st.from_regex(r"\A[0-9a-f]{12}\Z"))
def test_a_stored_call_gives_the_bytes_that_were_sent(prompt, labels, body, nonce):
    template = shipped_templates()["label"]
    slots = {"prompt": prompt, "labels": labels, "id": "label:1"}
    text = json.dumps(body, ensure_ascii=False)
    sent = request_bytes(template, slots=slots, nonce=nonce, body=text)
    record = make_record(slots=slots, nonce=nonce, body=text)
    asker = services.Asker(endpoint_id=make_endpoint().pk, role="label")

    call = stored(asker, record)

    assert services.rebuild_request(call) == sent


@pytest.mark.parametrize("prompt", ["with \0 in it", "half a pair \ud83d", "=starts so", "=" * 70])
def test_texts_that_a_column_cannot_hold_rebuild_all_the_same(asker, prompt):
    record = make_record(prompt=prompt)
    sent = request_bytes(
        shipped_templates()["label"], slots=record.slots, nonce=NONCE, body=record.body
    )

    call = stored(asker, record)

    assert services.rebuild_request(call) == sent


def test_a_number_keeps_the_digits_it_was_sent_with(asker):
    call = stored(asker, make_record())

    assert b'"temperature":0.70' in services.rebuild_request(call)


def test_every_attempt_is_a_row_in_the_order_given(asker):
    failed = make_record(
        content=None, cause=FailureCause.SERVER_ERROR, error="it answered 503", http_status=503
    )

    ids = services.store_calls([failed, make_record(attempt=2)], asker=asker)

    rows = Call.objects.in_bulk(ids)
    assert [(rows[pk].attempt, rows[pk].error_cause) for pk in ids] == [
        (1, "server_error"),
        (2, ""),
    ]


def test_a_call_keeps_what_it_cost_and_what_was_read(asker):
    record = make_record(prompt_tokens=211, completion_tokens=9, cached_tokens=128)

    call = stored(asker, record, parsed=[{"label": "general", "note": "a \0 in it"}])

    assert (call.prompt_tokens, call.completion_tokens, call.cached_tokens) == (211, 9, 128)
    assert call.parsed == {"label": "general", "note": "a \ufffd in it"}


def test_equal_texts_are_stored_once(asker):
    records = [make_record(prompt="x" * 5000) for _ in range(20)]

    services.store_calls(records, asker=asker)

    assert Text.objects.filter(characters=5000).count() == 1


def test_the_number_of_queries_does_not_grow_with_the_records(asker):
    def queries(count):
        records = [make_record(prompt=f"{count}: prompt {number} " * 9) for number in range(count)]
        with CaptureQueriesContext(connection) as captured:
            services.store_calls(records, asker=asker)
        return len(captured)

    assert queries(40) == queries(2)


def test_the_raw_answer_is_kept_as_it_was(asker):
    call = stored(asker, make_record(content="a \0 and half a pair \ud83d", reasoning="hm"))

    texts = services.read_texts([call.answer_sha256, call.reasoning_sha256])
    assert texts[call.answer_sha256] == "a \0 and half a pair \ud83d"


def test_templates_are_seeded_where_that_was_left_out():
    asker = services.Asker(endpoint_id=make_endpoint().pk, role="label")

    stored(asker, make_record())

    assert TemplateVersion.objects.filter(template__name="label").exists()


def test_a_template_that_nobody_stored_is_refused(asker):
    record = make_record(template_sha256="0" * 64)

    with pytest.raises(Conflict, match="has no version with the hash 0000"):
        services.store_calls([record], asker=asker)


def test_parts_that_do_not_make_the_request_are_noticed(asker):
    call = stored(asker, make_record(request_sha256="0" * 64))

    with pytest.raises(RecordError, match="do not make the request"):
        services.rebuild_request(call)


def test_a_stored_call_never_changes(asker):
    call = stored(asker, make_record())

    with pytest.raises(IntegrityError, match="never change"):
        Call.objects.filter(pk=call.pk).update(attempt=7)


def test_a_batch_with_one_bad_row_leaves_nothing_behind(asker):
    records = [make_record(), make_record(template_sha256="0" * 64)]

    with pytest.raises(Conflict):
        services.store_calls(records, asker=asker)

    assert not Call.objects.exists()


def test_the_body_is_stored_once_for_a_whole_run(asker):
    services.store_calls([make_record(prompt=f"prompt {n}") for n in range(5)], asker=asker)

    hashes = set(Call.objects.values_list("body_sha256", flat=True))
    assert hashes == {services.text_hash(BODY)}
