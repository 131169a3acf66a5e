"""Which requests go wrong, the queue, and what the command line sets."""

import asyncio
import collections
import json
import subprocess
import sys
import urllib.error

import pytest

from rubricstudio.testing.stub.behaviour import Behaviour, Fault
from tests.testing.wire import chat, exchange, request, talk


def test_each_fault_meets_its_share_of_the_requests():
    behaviour = Behaviour(faults={"reset": 0.1, "slow": 0.3})

    met = collections.Counter(behaviour.fault_of(number, "") for number in range(5000))

    # The deviation of a share over 5,000 draws is below 0.0065.
    assert met[Fault.RESET] / 5000 == pytest.approx(0.1, abs=0.03)
    assert met[Fault.SLOW] / 5000 == pytest.approx(0.3, abs=0.03)


def test_sticky_faults_meet_the_same_request_again():
    behaviour = Behaviour(faults={"reset": 0.5}, sticky=True)

    hashes = [str(number) for number in range(100)]

    assert [behaviour.fault_of(1, one) for one in hashes] == [
        behaviour.fault_of(2, one) for one in hashes
    ]


def test_other_faults_are_drawn_by_the_seed():
    drawn = [
        [Behaviour(faults={"reset": 0.5}, seed=seed).fault_of(n, "") for n in range(50)]
        for seed in (1, 1, 2)
    ]

    assert drawn[0] == drawn[1] != drawn[2]


def test_an_unknown_setting_is_refused_and_changes_nothing(stub):
    with pytest.raises(urllib.error.HTTPError):
        stub.configure(latency=0.5, mood="bad")

    [(status, body)] = talk(stub.port, request("POST", "/stub/behaviour", b"{}"))
    assert (status, json.loads(body)["latency"]) == (200, 0.0)


def test_beyond_the_queue_requests_are_turned_away(stub):
    stub.configure(latency=0.3, max_running=2, max_queued=3)

    async def many():
        return await asyncio.gather(*(exchange(stub.port, chat()) for _ in range(9)))

    statuses = collections.Counter(told[0][0] for told in asyncio.run(many()))

    assert statuses == {200: 5, 503: 4}
    assert stub.state()["rejected"] == 4


def test_a_place_left_by_a_client_that_goes_away_is_taken_by_the_next(stub):
    stub.configure(latency=0.5, max_running=1)

    async def work():
        gone = asyncio.create_task(exchange(stub.port, chat()))
        await asyncio.sleep(0.1)
        waiting = asyncio.create_task(exchange(stub.port, chat()))
        await asyncio.sleep(0.1)
        gone.cancel()
        return await asyncio.wait_for(waiting, 5)

    [(status, _)] = asyncio.run(work())

    assert status == 200


def test_requests_that_are_held_wait_until_they_are_let_go_and_no_others(stub):
    stub.configure(hold="Hello")
    other = {"messages": [{"role": "user", "content": "Good night"}]}

    async def work():
        held = asyncio.create_task(exchange(stub.port, chat()))
        passed = await exchange(stub.port, chat(**other))
        waits = not held.done()
        await asyncio.to_thread(stub.configure, hold="")
        return waits, passed[0][0], (await held)[0][0]

    assert asyncio.run(work()) == (True, 200, 200)


def test_rejections_are_in_the_metrics(stub):
    [(_, body)] = talk(stub.port, request("GET", "/metrics"))

    assert b'vllm:admission_rejections_total{model_name="judge",reason="queue_full"} 0.0' in body


def test_too_many_requests_say_when_to_come_back(stub):
    stub.configure(faults={"http_429": 1.0}, retry_after=7)

    async def raw():
        reader, writer = await asyncio.open_connection("127.0.0.1", stub.port)
        writer.write(chat())
        head = await reader.readuntil(b"\r\n\r\n")
        writer.close()
        return head

    assert b"retry-after: 7\r\n" in asyncio.run(raw())


def test_the_command_line_sets_the_behaviour():
    process = subprocess.Popen(
        [
            *(sys.executable, "-m", "rubricstudio.testing.stub", "--port", "0"),
            *("--model", "other", "--fault", "http_500=0.5", "--fault", "slow=0.1", "--sticky"),
        ],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    with process, process.stdout:
        port = json.loads(process.stdout.readline())["port"]
        [(_, body)] = talk(port, request("POST", "/stub/behaviour", b"{}"))
        process.terminate()

    told = json.loads(body)
    assert (told["model"], told["sticky"]) == ("other", True)
    assert told["faults"] == {"http_500": 0.5, "slow": 0.1}
