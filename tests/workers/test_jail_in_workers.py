"""The jail in a real worker: one zygote per pool process, which ends with it however it ends."""

from __future__ import annotations

from pathlib import Path

import psutil
import pytest

from tests.workers import tasks
from tests.workers.harness import PATIENCE, queue_url, real_queue, real_worker, wait_until

__all__ = ["queue_url", "real_queue", "real_worker"]

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.slow,
    pytest.mark.timeout(3 * PATIENCE),
]
TASKS = ("tests.workers.tasks",)
SLOW = (
    "def check_following(instruction, response):\n    while response:\n        instruction += 'a'\n"
)


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    path = tmp_path / "notes"
    path.touch()
    return path


def lines(notes: Path) -> list[str]:
    return notes.read_text().splitlines()


def zygote(notes: Path) -> int:
    wait_until(lambda: lines(notes), "the zygote to start")
    return int(lines(notes)[0].removeprefix("zygote "))


def test_a_worker_that_stops_in_order_closes_its_zygote(real_worker, notes):
    worker = real_worker(include=TASKS)
    tasks.check_for_long.delay(str(notes), tasks.HONEST, 1)
    wait_until(lambda: "then True" in lines(notes), "the checks to end")
    assert psutil.pid_exists(zygote(notes))

    worker.stop()

    assert lines(notes)[1:] == ["done", "then True"]
    wait_until(lambda: not psutil.pid_exists(zygote(notes)), "the zygote to end")


def test_a_soft_time_limit_in_mid_batch_leaves_the_next_check_fine(real_worker, notes):
    real_worker(include=TASKS)

    tasks.check_for_long.delay(str(notes), SLOW, 100)

    wait_until(lambda: len(lines(notes)) == 3, "the task to end")
    assert lines(notes)[1:] == ["too late", "then True"]


def test_a_worker_killed_in_mid_batch_leaves_no_zygote_behind(real_worker, notes):
    worker = real_worker(include=TASKS)
    tasks.check_for_long.delay(str(notes), SLOW, 100)
    inside = psutil.Process(zygote(notes)).children(recursive=True)

    worker.kill()

    assert inside
    gone = [zygote(notes), *(one.pid for one in inside)]
    wait_until(lambda: not any(map(psutil.pid_exists, gone)), "all of the jail to end")
