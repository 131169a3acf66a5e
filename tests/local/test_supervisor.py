"""Supervision of parts that are small programs, each with a child of its own."""

import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from rubricstudio.local import paths, processes, supervisor
from rubricstudio.local.supervisor import Part, Supervisor
from tests.local.observing import PATIENCE, alive, all_end

# A parent with one child; both note their numbers, the parent first. `stubborn` ignores the polite
# signal.
PROGRAM = """
import os, signal, sys, time
folder, name, kind = sys.argv[1:]
def note():
    with open(os.path.join(folder, f"{name}.pids"), "a") as pids:
        pids.write(f"{os.getpid()}\\n")
if kind == "stubborn":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
note()
child = os.fork()
if not child:
    note()
if child and kind == "brief":
    sys.exit(3)
time.sleep(600)
"""


def program(folder: Path, name: str, kind: str = "polite") -> tuple[str, ...]:
    return (sys.executable, "-c", PROGRAM, str(folder), name, kind)


def noted(folder: Path, name: str) -> list[int]:
    file = folder / f"{name}.pids"
    return [int(line) for line in file.read_text().splitlines()] if file.exists() else []


def await_noted(folder: Path, name: str, count: int = 2) -> list[int]:
    assert processes.wait_until(lambda: len(noted(folder, name)) >= count, seconds=PATIENCE)
    return noted(folder, name)


@pytest.fixture
def said() -> list[str]:
    return []


@pytest.fixture
def supervising(data: Path, said: list[str], monkeypatch) -> Iterator[Supervisor]:
    quickly = (processes.Step(signal.SIGTERM, 1.0), processes.Step(signal.SIGQUIT, 0.5))
    monkeypatch.setattr(supervisor, "STEPS", quickly)
    with supervisor.supervised(data, say=said.append) as found:
        yield found


def look_until(supervising: Supervisor, condition, seconds: float = PATIENCE) -> bool:
    def look() -> bool:
        supervising.look()
        return bool(condition())

    return processes.wait_until(look, seconds=seconds)


def test_stopping_ends_parts_and_their_children(supervising, data):
    supervising.start(Part("one", program(data, "one")))
    supervising.start(Part("two", program(data, "two")))
    pids = await_noted(data, "one") + await_noted(data, "two")

    supervising.stop()

    assert alive(pids) == []


def test_a_part_that_ignores_signals_is_killed(supervising, data):
    supervising.start(Part("one", program(data, "one", "stubborn")))
    pids = await_noted(data, "one")

    supervising.stop()

    assert alive(pids) == []


def test_a_part_logs_to_a_file_of_its_own(supervising, data):
    supervising.start(Part("loud", (sys.executable, "-c", "print('heard')")))

    log = paths.log_file(data, "loud")
    assert processes.wait_until(lambda: log.read_text() == "heard\n", seconds=PATIENCE)


def test_a_part_that_ends_is_started_again_and_its_children_are_ended(supervising, data, said):
    supervising.start(Part("one", program(data, "one", "brief")))
    first = await_noted(data, "one")

    assert look_until(supervising, lambda: len(noted(data, "one")) >= 4)
    assert alive(first) == []
    assert said[0].startswith("one ended (exit code 3); it starts again in 1 s")


def test_a_part_that_keeps_ending_is_left_alone_for_longer_and_longer(supervising, data, said):
    supervising.start(Part("one", (sys.executable, "-c", "import sys; sys.exit(1)")))

    assert look_until(supervising, lambda: len(said) == 3)
    assert ["in 1 s" in said[0], "in 2 s" in said[1], "in 4 s" in said[2]] == [True] * 3


def test_a_killed_part_is_said_to_have_been_killed(supervising, data, said):
    supervising.start(Part("one", program(data, "one")))
    leader = await_noted(data, "one")[0]

    os.kill(leader, signal.SIGKILL)

    assert look_until(supervising, lambda: said)
    assert "one ended (signal SIGKILL)" in said[0]


def test_a_killed_watchdog_is_replaced(supervising, data):
    first = supervising._watchdog.process.pid
    os.kill(first, signal.SIGKILL)

    assert look_until(supervising, lambda: supervising._watchdog.process.pid != first)


@contextlib.contextmanager
def own_process(data: Path, kinds: dict[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    """A supervisor in a process of its own, once it has started parts of these kinds."""
    described = {name: program(data, name, kind) for name, kind in kinds.items()}
    command = [sys.executable, "-m", "tests.local.stub_supervisor", str(data)]
    with subprocess.Popen(
        [*command, json.dumps(described)], cwd=paths.CHECKOUT, stdout=subprocess.PIPE
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == b"up\n"
            yield process
        finally:
            process.kill()


def killed_supervisor(data: Path, kinds: dict[str, str]) -> list[int]:
    """Kill a supervisor in the middle of its life; the processes that it had started."""
    with own_process(data, kinds) as process:
        started = [pid for name in kinds for pid in await_noted(data, name)]
        started += [child.pid for child in psutil.Process(process.pid).children(recursive=True)]
    return started


def test_a_killed_supervisor_leaves_no_orphans(data):
    started = killed_supervisor(data, {"one": "polite", "two": "polite"})

    assert len(set(started)) == 5  # two parts, a child of each, the watchdog
    assert all_end(started)


def test_a_killed_supervisor_leaves_no_orphans_that_ignore_signals(data):
    started = killed_supervisor(data, {"one": "stubborn"})

    assert all_end(started)


def test_a_request_to_stop_ends_the_supervisor_and_its_parts(data):
    with own_process(data, {"one": "polite"}) as process:
        pids = await_noted(data, "one")

        process.send_signal(signal.SIGINT)
        process.wait(PATIENCE)

    assert alive(pids) == []
