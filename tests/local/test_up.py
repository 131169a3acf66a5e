"""`manage.py up` as a person starts it, and what it refuses."""

import json
import os
import pwd
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import psycopg
import pytest

from rubricstudio.local import parts, paths, postgres, processes, supervisor, up
from rubricstudio.local.claim import claimed
from rubricstudio.local.database import borrow_database
from rubricstudio.local.errors import LocalError
from rubricstudio.local.health import ask_health, free_port, lacking, refuse_taken_port
from tests.local.conftest import FirstCommand
from tests.local.observing import PATIENCE, alive, all_end

LONGEST_STOP = 30.0


def whole_studio(test):
    """Marks for a test that starts everything: all of them in one process, one after the other."""
    marks = [pytest.mark.slow, pytest.mark.model, pytest.mark.timeout(600)]
    for mark in (*marks, pytest.mark.xdist_group("studio")):
        test = mark(test)
    return test


def slugs(data: Path) -> list[str]:
    """The projects that are there."""
    with psycopg.connect(paths.database_url(data)) as connection:
        return [slug for (slug,) in connection.execute("SELECT slug FROM accounts_project")]


class Studio:
    """A running `manage.py up`."""

    def __init__(self, data: Path) -> None:
        self.data = data
        self.process = subprocess.Popen(
            [sys.executable, "manage.py", "up", "--port", "0", "--data", str(data)],
            cwd=paths.CHECKOUT,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.said = self._read_until("  judging")
        found = re.search(r"Rubric Studio is at http://127\.0\.0\.1:(\d+)\n", self.said)
        assert found, self.said
        self.port = int(found[1])

    def _read_until(self, last: str) -> str:
        assert self.process.stdout is not None
        said = ""
        for line in self.process.stdout:
            said += line
            if line.startswith(last):
                return said
        self.process.communicate()
        raise AssertionError(f"`up` ended: {said}")

    def everything(self) -> list[int]:
        """All processes that belong to it: children of children, and the keepers."""
        keepers = [paths.read_state(self.data, name)["pid"] for name in ("database", "model")]
        trees = [psutil.Process(pid) for pid in (self.process.pid, *keepers)]
        return [
            process.pid
            for root in trees
            for process in (root, *root.children(recursive=True))
            if process.pid != self.process.pid
        ]

    def end(self, signum: signal.Signals) -> str:
        self.process.send_signal(signum)
        said, _ = self.process.communicate()
        return said


@pytest.fixture
def studio(first_command: FirstCommand, nothing_named: None) -> Iterator[Studio]:
    found = Studio(first_command.data)
    yield found
    if found.process.poll() is None:
        found.end(signal.SIGTERM)


# The whole studio takes its time to start, so one life of it holds several claims.
@whole_studio
def test_the_studio_lives_and_ends_in_order(studio):
    health = ask_health(studio.port)
    assert health["status"] == "ok"
    assert lacking(health) == []
    assert "PostgreSQL 18" in studio.said
    assert f"http://127.0.0.1:{studio.port}/sign-in/" in studio.said

    second = subprocess.run(
        [sys.executable, "manage.py", "up", "--port", "1", "--data", str(studio.data)],
        cwd=paths.CHECKOUT,
        capture_output=True,
        text=True,
    )
    assert second.returncode == 1
    assert f"already runs on {studio.data}" in second.stderr
    assert f"http://127.0.0.1:{studio.port}" in second.stderr

    with borrow_database(studio.data) as share:
        assert share is not None
        assert not share.started
    assert slugs(studio.data) == ["demo-project"]

    running = studio.everything()
    said = studio.end(signal.SIGTERM)
    assert studio.process.returncode == 0
    assert said.rstrip().endswith("Stopped.")
    assert alive(running) == []
    log = paths.log_file(studio.data, "postgres").read_text()
    assert log.rstrip().endswith("database system is shut down")


@whole_studio
@pytest.mark.skipif(not processes.ON_LINUX, reason="only Linux tells children of their parent")
def test_a_killed_studio_leaves_no_orphans_and_a_database_that_was_shut_down(studio):
    running = studio.everything()
    assert len(running) >= 10  # database, model, watchdog, two workers with pools, beat, web …

    studio.end(signal.SIGKILL)

    assert all_end(running)
    log = paths.log_file(studio.data, "postgres").read_text()
    assert log.rstrip().endswith("database system is shut down")


def test_all_steps_of_a_stop_together_take_less_than_half_a_minute():
    parts_stop = sum(step.seconds for step in supervisor.STEPS) + processes.KILL_SECONDS
    database_stop = sum(step.seconds for step in postgres.STOP_FAST)

    assert parts_stop + database_stop < LONGEST_STOP


def test_a_worker_in_the_middle_of_a_task_is_stopped(data, monkeypatch):
    """First asked to finish, then to give up, then killed: here in a hurry."""
    quickly = (processes.Step(signal.SIGTERM, 1.0), processes.Step(signal.SIGQUIT, 1.0))
    monkeypatch.setattr(supervisor, "STEPS", quickly)
    (data / "messages").mkdir()
    environment = {"SLOW_APP_FOLDER": str(data)}
    celery = (sys.executable, "-m", "celery", "--app", "tests.local.slow_app")
    subprocess.run(
        [*celery, "call", "tests.local.slow_app.take_forever"],
        cwd=paths.CHECKOUT,
        env={**os.environ, **environment},
        check=True,
        capture_output=True,
    )

    with supervisor.supervised(data, say=print) as supervising:
        worker = (*celery, "worker", "--concurrency", "1")
        supervising.start(supervisor.Part("worker", worker, environment))
        noted = data / "task.pid"
        assert processes.wait_until(lambda: noted.exists() and noted.read_text(), seconds=PATIENCE)
        running = [int(noted.read_text()), *supervising._groups()]
        assert len(alive(running)) == 2

    assert alive(running) == []


def test_a_taken_port_is_named_with_the_way_out():
    with socket.socket() as taken:
        taken.bind((parts.HOST, 0))
        taken.listen()
        port = taken.getsockname()[1]

        with pytest.raises(
            LocalError, match=rf"Port {port} is taken .* ARGS=\"--port {port + 1}\""
        ):
            refuse_taken_port(port)


def test_a_free_port_is_taken_even_shortly_after_a_server_left_it():
    with socket.socket() as server, socket.socket() as client:
        server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as web servers do
        server.bind((parts.HOST, 0))
        server.listen()
        client.connect(server.getsockname())
        accepted, _ = server.accept()
        accepted.close()  # the server's side closes first and waits for a while
        port = server.getsockname()[1]

    refuse_taken_port(port)


def test_a_port_that_is_free_is_found():
    port = free_port()

    refuse_taken_port(port)
    assert port > 1023


@pytest.mark.parametrize("port", ["65536", "-1", "web"])
def test_what_is_no_port_is_said_before_anything_starts(port, data, capsys):
    with pytest.raises(SystemExit):
        up.main(["--port", port, "--data", str(data)])

    assert f"{port!r} is no number from 0 to 65535" in capsys.readouterr().err
    assert list(data.iterdir()) == []


def test_a_folder_is_claimed_again_when_its_holder_has_left(data):
    with claimed(data, url="http://127.0.0.1:1"):
        pass
    with claimed(data, url="http://127.0.0.1:2"):
        assert paths.read_state(data, "up")["url"] == "http://127.0.0.1:2"


def test_health_lacks_what_does_not_say_ok():
    answer = {"status": "not ok", "database": "ok", "model": "no answer", "workers": 0}

    assert lacking(answer) == ["model", "workers"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_an_ordinary_user_runs_the_database_as_well():
    """The account nobody stands for an ordinary user; its interpreter must be one it may run."""
    python = f"/usr/bin/python3.{sys.version_info.minor}"
    packages = str(Path(psycopg.__file__).parent.parent)
    environment = {"PATH": os.defpath, "PYTHONPATH": f"{paths.CHECKOUT}:{packages}"}
    as_nobody: dict[str, Any] = {
        "user": "nobody",
        "group": "nogroup",
        "extra_groups": [],
        "env": environment,
    }
    program = (
        "import sys; from pathlib import Path; from rubricstudio.local import paths, processes\n"
        "from rubricstudio.local.database import borrow_database; import psycopg, json\n"
        "data = Path(sys.argv[1])\n"
        "with borrow_database(data), psycopg.connect(paths.database_url(data)) as connection:\n"
        "    answer = connection.execute('SELECT 1').fetchone()\n"
        "left = processes.working_in(paths.cluster_dir(data))\n"
        "print(json.dumps([answer, left, (data / 'postgres').stat().st_uid]))"
    )
    try:
        subprocess.run([python, "-c", "import psycopg"], check=True, **as_nobody)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip(f"nobody cannot run {python} with the packages of {packages}")
    with tempfile.TemporaryDirectory(prefix="rubricstudio-user-") as folder:
        shutil.chown(folder, "nobody", "nogroup")
        answer = subprocess.run(
            [python, "-c", program, f"{folder}/data"], capture_output=True, **as_nobody
        )

    answered, left, owner = json.loads(answer.stdout)
    assert (answered, left) == ([1], [])
    assert owner == pwd.getpwnam("nobody").pw_uid
