"""The log from which other tests read what really reached the model."""

import asyncio
import hashlib
import subprocess
import sys

from rubricstudio.testing.stub.requestlog import read_log
from tests.testing.wire import chat, exchange, talk


def test_every_chat_request_has_one_line_with_the_hash_of_its_body(stub):
    requests = [chat(seed=number) for number in range(5)]

    talk(stub.port, *requests, answers=5)

    hashes = [hashlib.sha256(one.split(b"\r\n\r\n", 1)[1]).hexdigest() for one in requests]
    logged = stub.log()
    assert [one.body_sha256 for one in logged] == hashes
    assert [(one.id, one.status, one.disconnected) for one in logged] == [
        (number, 200, False) for number in range(1, 6)
    ]


def test_other_routes_are_not_in_the_log(stub):
    stub.state()

    assert stub.log() == []


def test_a_client_that_goes_away_is_noted(stub):
    stub.configure(latency=30)

    async def leave():
        _, writer = await asyncio.open_connection("127.0.0.1", stub.port)
        writer.write(chat())
        await asyncio.sleep(0.2)
        writer.close()
        await asyncio.sleep(0.2)

    asyncio.run(leave())

    [logged] = stub.log()
    assert (logged.status, logged.disconnected) == (0, True)


def test_the_most_in_flight_at_once_is_kept(stub):
    stub.configure(latency=0.3)

    async def many():
        await asyncio.gather(*(exchange(stub.port, chat()) for _ in range(7)))

    asyncio.run(many())

    assert stub.state()["max_in_flight"] == 7
    assert max(one.in_flight for one in stub.log()) == 7


def test_what_is_in_flight_at_the_end_is_written_too(stub):
    stub.configure(latency=30)

    async def begin():
        _, writer = await asyncio.open_connection("127.0.0.1", stub.port)
        writer.write(chat())
        await asyncio.sleep(0.2)
        stub.process.terminate()
        stub.process.wait(10)
        writer.close()

    asyncio.run(begin())

    [logged] = read_log(stub.log_path)
    assert logged.status == 0


def test_a_line_still_being_written_is_left_for_later(tmp_path):
    path = tmp_path / "log.jsonl"
    line = (
        '{"id":1,"start":1.0,"end":2.0,"status":200,"body_sha256":"a","in_flight":1,'
        '"fault":"","disconnected":false}\n'
    )
    path.write_text(line + line[:30])

    assert [one.id for one in read_log(path)] == [1]


def test_a_port_that_is_taken_is_named(stub):
    told = subprocess.run(
        [sys.executable, "-m", "rubricstudio.testing.stub", "--port", str(stub.port)],
        capture_output=True,
        text=True,
        check=False,
    )

    assert told.returncode == 1
    assert f"cannot listen on 127.0.0.1:{stub.port}" in told.stderr
