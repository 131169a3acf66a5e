"""Every part is asked, for a second at most, and what is wrong comes with what to do."""

import socket
import threading
import time
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from django.test import Client
from django.utils import timezone

from apps.activity import services
from apps.studio.health import checks
from apps.studio.health.checks import Answer, Check
from rubricstudio.sandbox.ladder import Ladder, Layer
from tests.factories import make_user
from tests.workers.harness import queue_url, real_queue
from workers.celery import app

__all__ = ["queue_url", "real_queue"]

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def fresh_checks(monkeypatch):
    monkeypatch.setattr(checks, "CHECKS", checks.new_checks())


@pytest.fixture
def model_server(monkeypatch):
    """Starts a server that answers everything with one status, and names it as the model's."""
    servers = []

    def start(status: int) -> None:
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(status)
                self.end_headers()

            def log_message(self, *_arguments):
                """Quiet."""

        servers.append(HTTPServer(("127.0.0.1", 0), Handler))
        threading.Thread(target=servers[-1].serve_forever, daemon=True).start()
        name_model(monkeypatch, servers[-1].server_port)

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.fixture
def closed_port():
    """A port of this machine on which nothing listens while the test runs."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        yield held.getsockname()[1]


def name_model(monkeypatch, port: int) -> None:
    monkeypatch.setenv("LLM_BASE_URL", f"http://127.0.0.1:{port}/v1")


def a_worker_lives() -> None:
    services.note_worker(name="one@here", pid=1, queues=["default"], started_at=timezone.now())


def healthz():
    return Client().get("/healthz")


@pytest.mark.usefixtures("real_queue")
def test_all_is_well_when_every_part_answers(model_server):
    model_server(200)
    a_worker_lives()

    response = healthz()

    assert response.status_code == 200
    assert response.json() == {
        "status": "ok",
        "database": "ok",
        "queue": "ok",
        "model": "ok",
        "workers": 1,
        "jail": "full",
    }


@pytest.mark.usefixtures("real_queue")
def test_a_jail_with_fewer_walls_is_told_and_leaves_the_system_well(model_server, monkeypatch):
    walls = (Layer("seccomp", True, "tried"), Layer("limits", True, "set"))
    monkeypatch.setattr(checks, "jail_ladder", lambda: Ladder(walls))
    model_server(200)
    a_worker_lives()

    response = healthz()

    assert response.status_code == 200
    assert response.json()["jail"] == "no_landlock"


@pytest.mark.usefixtures("real_queue")
def test_the_page_says_how_each_wall_was_tried(client, monkeypatch):
    walls = (
        Layer("namespaces", False, "unshare: Operation not permitted"),
        *(Layer(name, True, "tried") for name in ("limits", "landlock", "seccomp")),
    )
    monkeypatch.setattr(checks, "jail_ladder", lambda: Ladder(walls))
    client.force_login(make_user())

    page = client.get("/health/").content.decode()

    assert "There are no namespaces" in page
    assert "namespaces: fell; unshare: Operation not permitted" in page
    assert "manage.py checker_doctor" in page


def test_a_system_that_can_have_no_jail_says_so(client, monkeypatch):
    monkeypatch.setattr("platform.system", lambda: "Darwin")
    monkeypatch.setattr("rubricstudio.sandbox.jail._shared", None)
    client.force_login(make_user())

    assert "this is macOS" in client.get("/health/").content.decode()


@pytest.mark.usefixtures("real_queue")
def test_a_server_that_asks_for_a_key_answers(model_server):
    model_server(401)

    assert healthz().json()["model"] == "ok"


@pytest.mark.usefixtures("real_queue")
def test_a_server_that_is_broken_does_not_answer(model_server):
    model_server(503)

    assert healthz().json()["model"] == "no answer"


@pytest.mark.usefixtures("real_queue")
def test_without_a_worker_all_is_not_well(model_server):
    model_server(200)

    response = healthz()

    assert response.status_code == 503
    assert (response.json()["status"], response.json()["workers"]) == ("not ok", 0)


def test_a_queue_that_nobody_serves_does_not_answer(monkeypatch, closed_port):
    monkeypatch.setitem(app.conf, "broker_url", f"amqp://guest@127.0.0.1:{closed_port}//")
    monkeypatch.setitem(app.conf, "broker_transport_options", {})

    status = healthz().json()

    assert (status["queue"], status["database"]) == ("no answer", "ok")


def test_a_server_that_accepts_and_says_nothing_holds_up_no_other_part(monkeypatch):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        name_model(monkeypatch, silent.getsockname()[1])

        status = healthz().json()

    assert (status["model"], status["database"]) == ("no answer", "ok")


def test_the_probe_tells_no_address(monkeypatch, closed_port):
    name_model(monkeypatch, closed_port)

    assert "127.0.0.1" not in healthz().content.decode()


def test_a_question_that_still_waits_is_not_asked_again():
    go_on, asked = threading.Event(), []

    def ask():
        asked.append(True)
        go_on.wait()
        return {}

    check = Check("slow", ask)
    for _ in range(3):
        check.start()
        first = check.answer(time.monotonic())
    go_on.set()

    assert first == Answer(ok=False)
    assert len(asked) == 1
    assert check.answer(time.monotonic() + 60).ok


def test_a_fresh_answer_is_not_asked_for_again():
    asked: list[bool] = []

    def ask():
        asked.append(True)
        return {}

    check = Check("quick", ask, fresh=60)

    for _ in range(3):
        check.start()
        check.answer(time.monotonic() + 60)

    assert len(asked) == 1


def test_a_part_that_recovers_answers_again():
    outcomes = iter([ConnectionError("down"), {"up": True}])

    def ask():
        outcome = next(outcomes)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    check = Check("shaky", ask)
    answers = []
    for _ in range(2):
        check.start()
        answers.append(check.answer(time.monotonic() + 60).ok)

    assert answers == [False, True]


@pytest.mark.usefixtures("real_queue")
def test_the_page_says_what_to_do_for_each_part_that_is_silent(client, monkeypatch):
    monkeypatch.delenv("LLM_BASE_URL", raising=False)
    monkeypatch.setenv("RUBRICSTUDIO_DATA", "/nonexistent")
    client.force_login(make_user())

    page = client.get("/health/").content.decode()

    assert "PostgreSQL" in page
    assert "No model server is named" in page
    assert "Set LLM_BASE_URL" in page
    assert "No worker has ever answered." in page
    assert "GiB are free" in page


def test_a_full_disk_is_told(client, monkeypatch):
    usage = type("Usage", (), {"total": 100 * 1024**3, "free": 1024**3})
    monkeypatch.setattr("shutil.disk_usage", lambda folder: usage)
    client.force_login(make_user())

    assert "Make room" in client.get("/health/").content.decode()
