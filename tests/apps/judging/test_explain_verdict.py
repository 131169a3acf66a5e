"""One verdict with everything behind it, and lists that carry no payload."""

import hashlib
import json

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from apps.activity.errors import BadInput
from apps.calls import services as calls
from apps.calls.models import Call, Text
from apps.judging import selectors, services
from apps.judging.models import Verdict
from tests.apps.judging.conftest import carry

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_slots")]


def test_the_request_of_a_call_is_made_again_byte_for_byte(started):
    carry(started(criteria=1))
    verdict = Verdict.objects.get(criterion__isnull=False)

    (told,) = services.explain_verdict(verdict)

    made_again = calls.rebuild_request(told.call)
    assert hashlib.sha256(made_again).hexdigest() == told.call.request_sha256
    assert json.loads(made_again) == told.request
    assert verdict.rollout.messages[-1]["content"] in str(told.request)


def test_template_sampling_and_raw_answer_are_told(started):
    carry(started(criteria=1))
    verdict = Verdict.objects.get(criterion__isnull=False)

    (told,) = services.explain_verdict(verdict)

    assert (told.template, told.template_version) == ("judge", 1)
    sampling = told.sampling or {}
    assert sampling["model"] == "judge"
    assert "messages" not in sampling
    assert json.loads(told.answer or "")["verdict"] == verdict.answer


def test_attempts_come_in_order_and_only_those_of_the_verdict(started, stub):
    run = started(rollouts=3, criteria=3, run={"samples": 2})
    stub.configure(faults={"http_503": 0.4})
    carry(run)

    for verdict in Verdict.objects.all():
        attempts = [one.call.attempt for one in services.explain_verdict(verdict)]
        assert attempts == list(range(1, len(attempts) + 1))
    explained = sum(len(selectors.attempts_of(verdict)) for verdict in Verdict.objects.all())
    assert explained == Call.objects.filter(job_id=run.job_id).count()


def test_a_dropped_payload_is_said_and_the_rest_is_still_told(started):
    carry(started(criteria=1))
    verdict = Verdict.objects.get(criterion__isnull=False)
    Text.objects.update(data=None)

    (told,) = services.explain_verdict(verdict)

    assert told.request is None
    assert "was dropped by the retention policy" in told.dropped


def test_a_list_of_verdicts_reads_no_payload_and_takes_one_query(started):
    run = carry(started(rollouts=3))

    with CaptureQueriesContext(
        connection,
    ) as queries:
        told = [
            (one.rollout.number, one.criterion and one.criterion.key, one.score)
            for one in selectors.list_verdicts(run)
        ]

    assert len(told) == run.expected
    (query,) = queries.captured_queries
    assert "evidence" not in query["sql"]
    assert "messages" not in query["sql"]


def test_a_list_can_be_narrowed_to_a_state(started, stub):
    run = started(criteria=2)
    stub.configure(faults={"nonsense": 1.0})
    carry(run)

    assert selectors.list_verdicts(run, state="unscored").count() == 3
    assert selectors.list_verdicts(run, state="scored").count() == 0
    with pytest.raises(BadInput, match="use one of scored, unscored, failed"):
        selectors.list_verdicts(run, state="bad")
