"""The judge pipeline: queue, judge, parse and store, against a server that answers after 50 ms.

    python -m benchmarks.judging [--cells 12000] [--workers 2] [--peer PYTHON]

Everything runs in processes of its own, as it does for users: the embedded PostgreSQL with its
queue, Celery workers, the model server. Beside it stands the floor, measured in the same run: bare
aiohttp sending requests to the same server. One line of JSON per figure; CPU seconds are those of
the workers with their pools, and of PostgreSQL apart. On a busy machine only the ratio to the floor
(`cpu_in_floors`) says much.

``--peer`` names the Python of an environment in which autorubric is installed (`python -m venv
peer && peer/bin/pip install autorubric==1.6.1`); its judge then answers the same questions on the
same server after ours did, and the ratios are printed.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import aiohttp
import psutil

from rubricstudio.local import paths
from rubricstudio.local.database import borrow_database
from rubricstudio.testing.stub.process import RunningStub, stub_server

LATENCY = 0.05
AT_ONCE = 256
CRITERIA = 8
ROLLOUTS = 4
GIVE_UP_AFTER = 120.0
PARAGRAPH = "The sea is salty because rivers carry dissolved minerals from the rocks into it. "


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cells", type=int, default=12_000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--peer", help="the Python of an environment with autorubric")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="rubricstudio-bench-") as folder:
        data = Path(folder)
        os.environ["RUBRICSTUDIO_DATA"] = folder
        os.environ["DJANGO_SETTINGS_MODULE"] = "rubricstudio.settings.dev"
        for name in ("DATABASE_URL", "CELERY_BROKER_URL"):
            os.environ.pop(name, None)
        with borrow_database(), stub_server(data / "requests.jsonl", latency=LATENCY) as stub:
            run = prepare(stub, cells=options.cells)
            floor = measure_floor(stub, requests=4_000)
            report("judge floor, bare aiohttp", **floor)
            pipeline = measure_pipeline(run, workers=options.workers, data=data)
            floors = pipeline["cpu_s_per_1000"] / floor["cpu_s_per_1000"]
            report("judge pipeline", **pipeline, cpu_in_floors=floors)
            if options.peer:
                peer = measure_peer(options.peer, stub)
                report("judge of autorubric", **peer)
                faster = pipeline["verdicts_per_s"] / peer["verdicts_per_s"]
                lighter = peer["cpu_s_per_1000"] / pipeline["cpu_s_per_1000"]
                report("judge pipeline beside autorubric", faster=faster, lighter=lighter)


def report(name: str, **figures: float) -> None:
    rounded = {key: round(value, 3) for key, value in figures.items()}
    print(json.dumps({"benchmark": name, **rounded}), flush=True)


def prepare(stub: RunningStub, *, cells: int) -> Any:
    """A project with enough rollouts for so many cells, and a run over them."""
    import django

    django.setup()
    from django.core.management import call_command

    from apps.calls import services as calls
    from apps.calls.models import ModelEndpoint
    from apps.judging import services
    from tests import factories

    call_command("migrate", verbosity=0)
    calls.seed_models({"LLM_BASE_URL": stub.base_url, "LLM_MODEL": "judge", "LLM_BACKEND": "vllm"})
    ModelEndpoint.objects.update(max_in_flight=AT_ONCE)
    project = factories.make_project("bench")
    for number in range(cells // (ROLLOUTS * (CRITERIA + 1))):
        prompt = factories.make_prompt(project, f"Why is the sea salty? Version {number}.")
        factories.make_spec(prompt, *(f"Names reason number {place}." for place in range(CRITERIA)))
        group = factories.make_group(prompt)
        for place in range(ROLLOUTS):
            factories.make_rollout(prompt, PARAGRAPH * 10 + f"({place})", group=group)
    return services.start_run(project=project).run


def measure_floor(stub: RunningStub, *, requests: int) -> dict[str, float]:
    """What one process can do that sends requests and reads JSON, and nothing else."""
    body = {
        "model": "judge",
        "messages": [{"role": "user", "content": PARAGRAPH * 14}],
        "max_tokens": 64,
        "structured_outputs": {"choice": ["yes", "part", "no"]},
    }
    started, cpu = time.monotonic(), time.process_time()
    asyncio.run(_send(f"{stub.base_url}/chat/completions", json.dumps(body).encode(), requests))
    took, spent = time.monotonic() - started, time.process_time() - cpu
    return {"per_s": requests / took, "cpu_s_per_1000": spent / requests * 1000}


async def _send(url: str, body: bytes, requests: int) -> None:
    left = iter(range(requests))
    headers = {"Content-Type": "application/json"}

    async def sender(session: aiohttp.ClientSession) -> None:
        for _number in left:
            async with session.post(url, data=body, headers=headers) as answer:
                json.loads(await answer.read())

    connector = aiohttp.TCPConnector(limit=AT_ONCE)
    async with aiohttp.ClientSession(connector=connector) as session, asyncio.TaskGroup() as group:
        for _number in range(AT_ONCE):
            group.create_task(sender(session))


def measure_peer(python: str, stub: RunningStub) -> dict[str, float]:
    """What autorubric takes for the same questions, in a process of its own."""
    script = Path(__file__).with_name("_judging_peer.py")
    ran = subprocess.run(
        [python, str(script), stub.base_url], capture_output=True, text=True, timeout=600
    )
    if ran.returncode:
        sys.exit(f"the peer stopped: {ran.stderr[-2000:]}")
    figures: dict[str, float] = json.loads(ran.stdout.splitlines()[-1])
    return figures


def measure_pipeline(run: Any, *, workers: int, data: Path) -> dict[str, float]:
    """From the first shard in the queue until the run says that it is done."""
    from apps.judging import selectors
    from apps.judging.tasks import enqueue_shards

    with celery(workers, data) as pool:
        database = _postmaster()
        started = time.monotonic()
        before, database_before = _cpu_seconds(pool), _cpu_seconds(database)
        enqueue_shards(run.pk)
        while run.state not in ("done", "paused", "failed"):
            if time.monotonic() - started > GIVE_UP_AFTER:
                sys.exit(f"the run is not over after {GIVE_UP_AFTER:.0f} s: {run.block_reason}")
            time.sleep(0.05)
            run.refresh_from_db()
        took = time.monotonic() - started
        spent = _cpu_seconds(pool) - before
        database_spent = _cpu_seconds(database) - database_before
    progress = selectors.progress_of(run)
    if progress.scored != run.expected:
        sys.exit(f"not every cell was scored: {progress}")
    return {
        "verdicts_per_s": run.expected / took,
        "cpu_s_per_1000": spent / run.expected * 1000,
        "database_cpu_s_per_1000": database_spent / run.expected * 1000,
        "seconds": took,
        "verdicts": run.expected,
    }


@contextmanager
def celery(processes: int, data: Path) -> Iterator[psutil.Process]:
    """A worker with its pool, ready to take tasks."""
    from apps.activity.selectors import a_worker_beats

    command = [sys.executable, "-m", "celery", "-A", "workers.celery", "worker"]
    options = ["-Q", "judging", "-c", str(processes), "--loglevel=WARNING"]
    with (data / "worker.log").open("wb") as log:
        worker = subprocess.Popen(
            [*command, *options], cwd=paths.CHECKOUT, stdout=log, stderr=subprocess.STDOUT
        )
    try:
        while not a_worker_beats("judging"):
            if worker.poll() is not None:
                sys.exit((data / "worker.log").read_text())
            time.sleep(0.1)
        yield psutil.Process(worker.pid)
    finally:
        worker.terminate()
        worker.wait()


def _postmaster() -> psutil.Process:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        (pid,) = cursor.fetchone()
    parent = psutil.Process(pid).parent()
    assert parent is not None
    return parent


def _cpu_seconds(process: psutil.Process) -> float:
    """Of a process and its children, those that have ended included."""
    total = 0.0
    for one in (process, *process.children(recursive=True)):
        try:
            times = one.cpu_times()
        except psutil.NoSuchProcess:
            continue
        total += times.user + times.system + times.children_user + times.children_system
    return total


if __name__ == "__main__":
    main()
