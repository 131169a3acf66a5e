import asyncio
import os
import subprocess
import sys
from contextlib import asynccontextmanager, contextmanager
from urllib.parse import quote, urlencode

import pytest
from django.db import connection

from apps.calls import services
from apps.calls.models import EndpointLease, ModelEndpoint
from rubricstudio.testing.stub.process import stub_server
from tests.factories import make_endpoint

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


class Crowd:
    """Calls that fill whatever their limiter lets through, one after another."""

    in_flight = 0
    most = 0

    async def fill(self, limiter):
        while True:
            await limiter.acquire()
            self.in_flight += 1
            self.most = max(self.most, self.in_flight)
            try:
                await asyncio.sleep(0.01)
            finally:
                self.in_flight -= 1
                limiter.release()

    @asynccontextmanager
    async def on(self, endpoint):
        """A worker whose lease would be renewed after minutes, with more calls than slots."""
        async with services.LeasedLimit(endpoint, want=LIMIT, seconds=600) as limiter:
            calls = [asyncio.create_task(self.fill(limiter)) for _ in range(2 * LIMIT)]
            yield limiter
            for call in calls:
                call.cancel()
            await asyncio.gather(*calls, return_exceptions=True)


async def until(holds):
    async with asyncio.timeout(60):
        while not holds():
            await asyncio.sleep(0.01)


def test_who_comes_later_has_a_fair_share_soon_and_all_of_it_when_the_other_leaves():
    endpoint = make_endpoint(max_in_flight=LIMIT)
    crowd = Crowd()

    async def three_acts():
        async with crowd.on(endpoint) as second:
            async with crowd.on(endpoint) as first:
                await until(lambda: first._gate.most + second._gate.most == LIMIT)
                await until(lambda: first._gate.most == second._gate.most == LIMIT // 2)
            await until(lambda: second._gate.most == LIMIT)
        return True

    assert asyncio.run(three_acts())
    assert crowd.most == LIMIT
