"""What each HTTP status means for the question that met it."""

import time
from email.utils import formatdate

import httpx2
import pytest

from rubricstudio.core.types import FailureCause
from rubricstudio.llm.client import Backend, Endpoint
from rubricstudio.llm.errors import EndpointBusy, EndpointUnusable, RequestRefused
from rubricstudio.llm.statuses import retry_after, status_error

ENDPOINT = Endpoint("http://judge.example/v1", Backend.VLLM)


def error(status, body=None, **headers):
    response = httpx2.Response(status, json=body or {}, headers=headers)
    return status_error(response, ENDPOINT)


def said(message, **fields):
    return {"error": {"message": message, **fields}}


@pytest.mark.parametrize(
    ("status", "body", "kind", "cause"),
    [
        (400, said("bad field"), RequestRefused, FailureCause.BAD_REQUEST),
        (422, said("bad field"), RequestRefused, FailureCause.BAD_REQUEST),
        (400, said("maximum context length is 9"), RequestRefused, FailureCause.CONTEXT_LENGTH),
        (
            400,
            said("x", type="exceed_context_size_error"),
            RequestRefused,
            FailureCause.CONTEXT_LENGTH,
        ),
        (413, said("too large"), RequestRefused, FailureCause.CONTEXT_LENGTH),
        (418, said("a teapot"), RequestRefused, FailureCause.HTTP),
        (401, said("no key"), EndpointUnusable, FailureCause.AUTH),
        (403, said("not yours"), EndpointUnusable, FailureCause.AUTH),
        (402, said("pay"), EndpointUnusable, FailureCause.QUOTA),
        (429, said("over", code="insufficient_quota"), EndpointUnusable, FailureCause.QUOTA),
        (404, said("The model `x` does not exist."), EndpointUnusable, FailureCause.MODEL_MISSING),
        (404, {"detail": "Not Found"}, EndpointUnusable, FailureCause.HTTP),
        (302, {}, EndpointUnusable, FailureCause.HTTP),
        (429, said("slow down"), EndpointBusy, FailureCause.RATE_LIMITED),
        (408, {}, EndpointBusy, FailureCause.TIMEOUT),
        (409, {}, EndpointBusy, FailureCause.HTTP),
        (500, said("oops"), EndpointBusy, FailureCause.SERVER_ERROR),
        (503, said("busy"), EndpointBusy, FailureCause.SERVER_ERROR),
        (504, {}, EndpointBusy, FailureCause.TIMEOUT),
    ],
)
def test_a_status_becomes_a_kind_and_a_cause(status, body, kind, cause):
    found = error(status, body)

    assert (type(found), found.cause, found.status) == (kind, cause, status)


def test_the_sentence_has_the_address_and_the_words_of_the_server():
    found = error(500, said("disk  full\nagain", code="E_DISK"))

    assert str(found) == "http://judge.example/v1 answered 500: disk full again (E_DISK)"


def test_a_page_instead_of_json_is_quoted_in_part():
    response = httpx2.Response(502, text="<html>" + "x" * 5000)

    assert len(str(status_error(response, ENDPOINT))) < 400


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "7"}, 7),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after-ms": "250", "retry-after": "7"}, 0.25),
        ({"retry-after": "-3"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "soon"}, None),
        ({}, None),
    ],
)
def test_the_wait_that_a_server_asks_for_is_read(headers, seconds):
    assert retry_after(httpx2.Headers(headers)) == seconds


def test_a_wait_may_be_a_date():
    date = formatdate(time.time() + 30, usegmt=True)

    assert retry_after(httpx2.Headers({"retry-after": date})) == pytest.approx(30, abs=2)
