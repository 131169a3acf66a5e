import asyncio
import os
import subprocess
import sys
from contextlib import contextmanager
from urllib.parse import quote, urlencode

import pytest
from django.db import connection

from apps.calls import services
from apps.calls.models import EndpointLease, ModelEndpoint
from rubricstudio.testing.stub.process import stub_server

pytestmark = pytest.mark.django_db(transaction=True)

LIMIT = 6
COUNT = 60


@pytest.fixture
def stub(tmp_path):
    with stub_server(tmp_path / "requests.jsonl", latency=0.05) as running:
        services.seed_models({"LLM_BASE_URL": running.base_url, "LLM_MODEL": "judge"})
        ModelEndpoint.objects.update(max_in_flight=LIMIT)
        yield running


def database_url():
    told = connection.settings_dict
    query = urlencode({"host": told["HOST"], "port": told["PORT"]})
    return f"postgresql://{quote(told['USER'])}@/{quote(told['NAME'])}?{query}"


@contextmanager
def worker(name):
    command = [sys.executable, "-m", "tests.apps.calls.asking_process", name, str(COUNT)]
    environment = {
        **os.environ,
        "DATABASE_URL": database_url(),
        "DJANGO_SETTINGS_MODULE": "rubricstudio.settings.test",
    }
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
    )
    with process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            yield process
        finally:
            process.kill()


def start(*processes):
    for process in processes:
        process.stdin.write("go\n")
        process.stdin.flush()


def test_two_workers_together_never_exceed_the_limit_of_the_endpoint(stub):
    with worker("a") as a, worker("b") as b:
        start(a, b)
        ended = [a.wait(), b.wait()]

    state = stub.state()
    assert ended == [0, 0]
    assert (state["requests"], state["max_in_flight"]) == (2 * COUNT, LIMIT)


def test_a_worker_that_is_killed_blocks_nobody_for_long(stub):
    stub.configure(latency=30.0)
    with worker("killed") as killed:
        start(killed)
        while stub.state()["in_flight"] < LIMIT:
            assert killed.poll() is None
    stub.configure(latency=0.0)

    with worker("next") as successor:
        start(successor)

        assert successor.wait() == 0


def test_the_lease_is_given_back_at_the_end(stub):
    client = services.client_for(None, "judge")

    async def use():
        async with client.limiter(want=4) as limiter:
            await limiter.acquire()
            limiter.release()

    asyncio.run(use())

    assert not EndpointLease.objects.exists()


def test_a_call_may_wait_and_be_cancelled_without_losing_a_slot(stub):
    client = services.client_for(None, "judge")

    async def use():
        async with client.limiter(want=1) as limiter:
            await limiter.acquire()
            waiting = asyncio.create_task(limiter.acquire())
            await asyncio.sleep(0)
            waiting.cancel()
            await asyncio.gather(waiting, return_exceptions=True)
            limiter.release()
            await asyncio.wait_for(limiter.acquire(), timeout=10)
            limiter.release()
        return True

    assert asyncio.run(use())
