"""The stub's own HTTP: what a careless or hostile client may send."""

import json

from tests.testing.wire import chat, request, talk


def test_requests_sent_in_one_piece_are_answered_in_order(stub):
    told = talk(stub.port, chat() + request("GET", "/version") + chat(), answers=3)

    assert [status for status, _ in told] == [200, 200, 200]
    assert json.loads(told[1][1]) == {"version": "0.32.0"}


def test_a_request_sent_in_pieces_is_put_together(stub):
    whole = chat()
    pieces = [whole[start : start + 40] for start in range(0, len(whole), 40)]

    [(status, _)] = talk(stub.port, *pieces, pause=0.005)

    assert status == 200


def test_a_body_without_a_length_is_refused(stub):
    [(status, _)] = talk(
        stub.port, request("POST", "/v1/chat/completions", head="transfer-encoding: chunked\r\n")
    )

    assert status == 411


def test_an_endless_head_is_refused(stub):
    [(status, _)] = talk(stub.port, b"GET / HTTP/1.1\r\nx: " + b"a" * 70_000)

    assert status == 431


def test_a_body_that_is_too_large_is_refused_before_it_is_read(stub):
    [(status, _)] = talk(
        stub.port, b"POST /v1/chat/completions HTTP/1.1\r\ncontent-length: 999999999\r\n\r\n"
    )

    assert status == 413


def test_a_body_that_is_no_json_gives_400(stub):
    [(status, body)] = talk(stub.port, request("POST", "/v1/chat/completions", b"{nonsense"))

    assert (status, b"JSON" in body) == (400, True)


def test_an_unknown_route_gives_404(stub):
    [(status, _)] = talk(stub.port, request("GET", "/v2/models"))

    assert status == 404


def test_a_fault_of_the_stub_is_told_and_the_connection_lives_on(stub):
    told = talk(stub.port, chat(max_tokens="many"), chat(), answers=2, pause=0.05)

    assert [status for status, _ in told] == [500, 200]
