"""What comes of a question when the server fails in each of its ways."""

import socket
import time

import aiohttp
import pytest
from aiohttp.client_reqrep import ConnectionKey

from rubricstudio.core.types import FailureCause, UnscoredReason, VerdictState
from rubricstudio.llm.client import Backend, Endpoint, OutputMode, RetryRule, Sampling, Thinking
from rubricstudio.llm.errors import EndpointBusy, EndpointUnusable
from rubricstudio.llm.transport import connection_error
from tests.llm.asking import Served, judged, model_at, run
from tests.llm.servers import free_port


def ask(stub, **changes):
    return run(judged(model_at(Served.by(stub), **changes)))


def always(stub, fault, **changes):
    stub.configure(faults={fault: 1.0}, **changes)


@pytest.mark.parametrize(
    ("fault", "cause", "attempts"),
    [
        ("http_400", FailureCause.BAD_REQUEST, 1),
        ("http_401", FailureCause.AUTH, 1),
        ("http_402", FailureCause.QUOTA, 1),
        ("http_404", FailureCause.MODEL_MISSING, 1),
        ("quota", FailureCause.QUOTA, 1),
        ("http_500", FailureCause.SERVER_ERROR, 3),
        ("http_503", FailureCause.SERVER_ERROR, 3),
        ("reset", FailureCause.TRANSPORT, 3),
        ("not_json", FailureCause.BAD_RESPONSE, 3),
    ],
)
def test_a_failing_server_gives_a_cause_and_a_record_per_attempt(stub, fault, cause, attempts):
    always(stub, fault)

    asked = ask(stub)

    assert (asked.state, asked.failure) == (VerdictState.FAILED, cause)
    assert [call.cause for call in asked.calls] == [cause] * attempts


@pytest.mark.parametrize(
    ("fault", "reason", "attempts"),
    [
        ("nonsense", UnscoredReason.UNPARSABLE, 2),
        ("ignored", UnscoredReason.UNPARSABLE, 2),
        ("wrong_id", UnscoredReason.AMBIGUOUS, 2),
        ("off_scale", UnscoredReason.OFF_SCALE, 2),
        ("empty", UnscoredReason.EMPTY, 2),
        ("null_content", UnscoredReason.THINKING_ONLY, 2),
        ("truncated", UnscoredReason.TRUNCATED, 2),
        ("refusal", UnscoredReason.REFUSED, 1),
        ("content_filter", UnscoredReason.CONTENT_FILTER, 1),
    ],
)
def test_an_unusable_answer_is_unscored_and_never_a_score(stub, fault, reason, attempts):
    always(stub, fault)

    asked = ask(stub)

    assert (asked.value, asked.unscored) == (None, reason)
    assert [call.http_status for call in asked.calls] == [200] * attempts


def test_thinking_left_in_the_content_is_cut(stub):
    always(stub, "think_tags")

    assert ask(stub).state == VerdictState.SCORED


def test_thinking_without_a_parser_on_the_server_is_cut(stub):
    stub.configure(thinking_tokens=40, reasoning_parser=False)

    asked = ask(stub, thinking=Thinking.ALWAYS)

    assert asked.state == VerdictState.SCORED


def test_the_raw_answer_is_kept_where_it_is_unusable(stub):
    always(stub, "nonsense")

    assert ask(stub).calls[0].content.startswith("{\r\r")


def test_a_cut_answer_is_asked_again_with_more_room(stub):
    # 400 tokens hold no answer behind 500 of thinking, four times that do.
    stub.configure(thinking_tokens=500)
    sampling = Sampling(max_tokens=200, thinking_tokens=200)

    asked = ask(stub, thinking=Thinking.ALWAYS, sampling=sampling)

    assert [call.finish_reason for call in asked.calls] == ["length", "stop"]
    assert asked.state == VerdictState.SCORED


def test_a_cut_answer_stays_cut_where_the_server_has_no_more_room(stub):
    # 400 tokens fit into 1,000, four times that are refused.
    stub.configure(thinking_tokens=5000, max_model_len=1000)
    sampling = Sampling(max_tokens=200, thinking_tokens=200)

    asked = ask(stub, thinking=Thinking.ALWAYS, sampling=sampling)

    assert (asked.unscored, asked.failure) == (UnscoredReason.TRUNCATED, None)
    assert [call.http_status for call in asked.calls] == [200, 400]


def test_an_unusable_answer_is_asked_again_with_another_seed(stub):
    always(stub, "nonsense")

    first, second = ask(stub).calls

    assert first.request_sha256 != second.request_sha256


def test_overload_with_retry_after_is_waited_out(stub):
    always(stub, "http_429", retry_after=0.4)

    start = time.monotonic()
    asked = ask(stub)

    # Two waits of 0.4 s between three attempts, though the rule's own are 0.05 s at most.
    assert time.monotonic() - start >= 0.8
    assert asked.failure == FailureCause.RATE_LIMITED


def test_a_wait_beyond_the_deadline_is_not_begun(stub):
    always(stub, "http_429", retry_after=60)

    asked = ask(stub, retry=RetryRule(attempts=5, deadline=1.0))

    assert (asked.failure, len(asked.calls)) == (FailureCause.RATE_LIMITED, 1)


def test_a_server_that_hangs_is_left_after_the_timeout(stub):
    always(stub, "hang")
    endpoint = Endpoint(stub.base_url, Backend.VLLM, timeout=0.2)

    asked = ask(stub, endpoint=endpoint)

    assert (asked.failure, len(asked.calls)) == (FailureCause.TIMEOUT, 3)
    assert "did not answer within 0.2 s" in asked.detail


def test_the_server_sees_that_a_timed_out_client_is_gone(stub):
    always(stub, "hang")
    ask(stub, endpoint=Endpoint(stub.base_url, Backend.VLLM, timeout=0.2))

    assert [one.disconnected for one in stub.log()[-3:]] == [True, True, True]


def test_a_server_that_is_down_is_named_and_may_come_up_meanwhile():
    where = f"http://127.0.0.1:{free_port()}/v1"

    asked = run(judged(model_at(Served(where, Backend.VLLM, "judge"))))

    assert (asked.failure, len(asked.calls)) == (FailureCause.UNREACHABLE, 3)
    assert asked.detail == f"nothing listens at {where} (connection refused)"


def test_an_address_that_can_never_be_asked_is_asked_once():
    asked = run(judged(model_at(Served("http://127.0.0.1:99999/v1", Backend.VLLM, "judge"))))

    assert (asked.failure, len(asked.calls)) == (FailureCause.UNREACHABLE, 1)
    assert "http://127.0.0.1:99999/v1 cannot be asked: Port out of range" in asked.detail


def connecting(error):
    """What the HTTP client raises when a connection does not come about."""
    place = ConnectionKey("gpu", 80, False, True, None, None, None)
    if isinstance(error, socket.gaierror):
        return aiohttp.ClientConnectorDNSError(place, error)
    return aiohttp.ClientConnectorError(place, error)


@pytest.mark.parametrize(
    ("error", "kind", "told"),
    [
        (
            connecting(socket.gaierror(socket.EAI_NONAME, "Name not known")),
            EndpointUnusable,
            "the host of http://gpu/v1 is unknown",
        ),
        (
            connecting(socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution")),
            EndpointBusy,
            "no connection to http://gpu/v1: [Errno -3] Temporary failure in name resolution",
        ),
        (
            connecting(OSError(113, "No route to host")),
            EndpointBusy,
            "no connection to http://gpu/v1: [Errno 113] No route to host",
        ),
        (
            aiohttp.ConnectionTimeoutError("slow"),
            EndpointBusy,
            "http://gpu/v1 took no connection within 5 s",
        ),
    ],
)
def test_no_connection_is_told_apart_from_one_that_breaks(error, kind, told):
    found = connection_error(error, Endpoint("http://gpu/v1", Backend.VLLM))

    assert (type(found), found.cause, str(found)) == (kind, FailureCause.UNREACHABLE, told)


def test_a_wrong_key_is_refused_once_and_never_repeated(stub):
    stub.configure(api_key="right")

    asked = ask(stub, endpoint=Endpoint(stub.base_url, Backend.VLLM, api_key="wrong"))

    assert (asked.failure, len(asked.calls)) == (FailureCause.AUTH, 1)


def test_the_right_key_opens(stub):
    stub.configure(api_key="right")

    asked = ask(stub, endpoint=Endpoint(stub.base_url, Backend.VLLM, api_key="right"))

    assert asked.state == VerdictState.SCORED


def test_a_key_is_never_shown():
    assert "secret" not in repr(Endpoint("http://localhost/v1", Backend.VLLM, api_key="secret"))


def test_a_wrong_path_is_no_missing_model(stub):
    endpoint = Endpoint(stub.base_url + "/nowhere", Backend.VLLM)

    asked = ask(stub, endpoint=endpoint)

    assert (asked.failure, len(asked.calls)) == (FailureCause.HTTP, 1)


def test_transient_failures_between_answers_lose_nothing(stub):
    stub.configure(faults={"http_500": 0.2, "reset": 0.2, "http_429": 0.2}, retry_after=0.01)

    states = [ask(stub, retry=QUICK_AND_PATIENT).state for _ in range(20)]

    assert states == [VerdictState.SCORED] * 20


def test_the_label_mode_reads_the_same_failures(stub):
    always(stub, "ignored")

    asked = ask(stub, output=OutputMode.LABEL)

    assert asked.value is None


QUICK_AND_PATIENT = RetryRule(attempts=30, first_delay=0.001, longest_delay=0.01)
