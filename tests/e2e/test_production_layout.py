"""The production layout without containers: the commands of docker-compose.yml as processes.

A PostgreSQL of its own database, a real RabbitMQ, and the stub as the model server. Needs
RUBRICSTUDIO_TEST_AMQP to name the RabbitMQ.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit, urlunsplit

import httpx2
import psycopg
import pytest
import yaml

from rubricstudio.local import processes
from rubricstudio.local.health import free_port
from rubricstudio.testing.stub.behaviour import Behaviour
from rubricstudio.testing.stub.process import stub_server
from tests.shared_data import ROOT
from tests.workers.harness import alone_on

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(900),
    pytest.mark.xdist_group("amqp"),  # others wait for its queues, which they share
    pytest.mark.skipif(
        not os.environ.get("RUBRICSTUDIO_TEST_AMQP"),
        reason="RUBRICSTUDIO_TEST_AMQP names no RabbitMQ",
    ),
]

SERVICES = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]
LASTING = ("web", "beat", "worker", "worker-generation", "worker-judging")
BIN = Path(sys.executable).parent
PATIENCE = 180
VARIABLE = re.compile(r"\$\{(\w+)(?::-([^}]*)|:\?[^}]*)?\}")
# What a proxy says of a request that came over TLS.
OVER_TLS = {"X-Forwarded-Proto": "https"}


class Layout:
    """The services of the compose file, each as a process with the same command."""

    def __init__(self, folder: Path, **given: str) -> None:
        self.folder, self.given = folder, given
        self.port = free_port()
        self.processes: dict[str, subprocess.Popen[bytes]] = {}

    def environment(self, name: str) -> dict[str, str]:
        """The service's variables; what the test gives stands for the other containers."""
        values = {
            key: VARIABLE.sub(lambda found: found[2] or "", value)
            for key, value in SERVICES[name]["environment"].items()
        }
        kept = {key: os.environ[key] for key in ("PATH", "HOME", "LANG") if key in os.environ}
        return {**kept, **values, **self.given, "PYTHONPATH": str(ROOT)}

    def command(self, name: str) -> list[str]:
        program, *rest = SERVICES[name]["command"]
        here = {"8000": str(self.port), "0.0.0.0": "127.0.0.1"}  # noqa: S104 - is replaced
        return [str(BIN / program), *(here.get(one, one) for one in rest)]

    def log(self, name: str) -> Path:
        return self.folder / f"{name}.log"

    def start(self, name: str) -> None:
        with self.log(name).open("wb") as output:
            self.processes[name] = subprocess.Popen(
                self.command(name),
                cwd=ROOT,
                env=self.environment(name),
                stdout=output,
                stderr=subprocess.STDOUT,
            )

    def manage(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=ROOT,
            env=self.environment("web"),
            capture_output=True,
            text=True,
        )

    def probe(self, name: str) -> int:
        """The exit code of the service's own health check."""
        _cmd, program, *rest = SERVICES[name]["healthcheck"]["test"]
        rest = [
            one.replace("8000", str(self.port)).replace("/data/", f"{self.folder}/data/")
            for one in rest
        ]
        done = subprocess.run(
            [str(BIN / program), *rest],
            cwd=ROOT,
            env=self.environment(name),
            capture_output=True,
        )
        return done.returncode

    def wait_for(self, name: str) -> None:
        deadline = time.monotonic() + PATIENCE
        while self.probe(name):
            ended = self.processes[name].poll() is not None
            if ended or time.monotonic() > deadline:
                pytest.fail(f"{name} is not well:\n{self.log(name).read_text()[-4000:]}")
            time.sleep(0.5)

    def get(self, path: str, **headers: str) -> httpx2.Response:
        return httpx2.get(f"http://127.0.0.1:{self.port}{path}", headers=headers, timeout=30)

    def stop(self) -> None:
        for process in self.processes.values():
            process.terminate()
        for process in self.processes.values():
            processes.end(process, steps=[processes.Step(signal.SIGTERM, 60)])


@pytest.fixture(scope="module")
def database() -> Iterator[str]:
    """The address of a new, empty database on the suite's server."""
    server = os.environ["DATABASE_URL"]
    name = f"layout_{os.getpid()}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
        parts = urlsplit(server)
        yield urlunsplit(parts._replace(path=f"/{quote(name)}"))
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture(scope="module")
def layout(database: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Layout]:
    folder = tmp_path_factory.mktemp("layout")
    (folder / "data").mkdir()
    with (
        alone_on(os.environ["RUBRICSTUDIO_TEST_AMQP"]),
        stub_server(folder / "requests.jsonl") as stub,
    ):
        running = Layout(
            folder,
            DATABASE_URL=database,
            CELERY_BROKER_URL=os.environ["RUBRICSTUDIO_TEST_AMQP"],
            RUBRICSTUDIO_DATA=str(folder / "data"),
            STATIC_ROOT=str(folder / "static"),
            SECRET_KEY="only-for-this-test",
            LLM_BASE_URL=stub.base_url,
            LLM_MODEL=Behaviour().model,
        )
        done = running.manage("collectstatic", "--noinput")
        assert done.returncode == 0, done.stderr
        running.start("migrate")
        assert running.processes["migrate"].wait(PATIENCE) == 0, running.log("migrate").read_text()
        try:
            for name in LASTING:
                running.start(name)
            for name in LASTING:
                running.wait_for(name)
            yield running
        finally:
            running.stop()


def result(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    assert done.returncode == 0, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answer


def test_every_service_passes_its_own_health_check(layout):
    assert {name: layout.probe(name) for name in LASTING} == dict.fromkeys(LASTING, 0)


def test_all_parts_answer_behind_the_proxy(layout):
    answer = layout.get("/healthz", **OVER_TLS)

    told = answer.json()
    # How far generated code can be locked up is the machine's.
    assert told.pop("jail")
    assert told == {
        "status": "ok",
        "database": "ok",
        "queue": "ok",
        "model": "ok",
        "workers": 3,
    }


def test_a_request_without_tls_is_sent_to_the_secure_address(layout):
    answer = layout.get("/sign-in/")

    assert answer.status_code == 301
    assert answer.headers["Location"].startswith("https://")


def test_a_page_finds_its_style_sheets_under_names_that_hold_their_hash(layout):
    page = layout.get("/sign-in/", **OVER_TLS)
    sheets = re.findall(r'href="(/static/css/[^"]+)"', page.text)

    assert sheets
    assert all(re.search(r"\.[0-9a-f]{12}\.css$", sheet) for sheet in sheets)
    assert {layout.get(sheet, **OVER_TLS).status_code for sheet in sheets} == {200}


def test_work_goes_over_rabbitmq_to_the_worker_of_its_queue(layout, tmp_path):
    prompts = tmp_path / "prompts.jsonl"
    prompts.write_text('{"id": "tides", "prompt": "Why does the sea have tides?"}\n')
    responses = tmp_path / "responses.jsonl"
    responses.write_text('{"prompt_id": "tides", "response": "The Moon pulls the water."}\n')
    here = ("--project", "layout")

    result(layout.manage("import_prompts", str(prompts), *here))
    result(layout.manage("import_rollouts", str(responses), *here, "--policy", "one"))
    made = result(layout.manage("make_specs", *here))
    judged = result(layout.manage("judge", *here))

    assert made["specs"] == 1
    assert judged["scored"] == judged["expected"] > 0
    assert "apps.specs.tasks" in layout.log("worker-generation").read_text()
    assert "apps.judging.tasks" in layout.log("worker-judging").read_text()
