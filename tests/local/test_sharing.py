"""A service that is shared: here one that does nothing, started by the real keeper."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from rubricstudio.local import paths, processes, sharing
from rubricstudio.local.errors import LocalError
from tests.local.echo_service import ECHO

HOLD = (
    "import sys; from pathlib import Path; from rubricstudio.local import sharing;"
    "from tests.local.echo_service import ECHO\n"
    "with sharing.shared(ECHO, Path(sys.argv[1])):\n"
    "    print('in', flush=True); sys.stdin.read()"
)


class OtherUser:
    """Another process that holds the service."""

    def __init__(self, data: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", HOLD, str(data)],
            cwd=paths.CHECKOUT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == b"in\n"

    def leave(self) -> None:
        self.process.communicate()

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate()


def keeper(data: Path) -> int | None:
    """The number of the service's process, if it runs."""
    pid = paths.read_state(data, "echo").get("pid")
    return pid if pid and psutil.pid_exists(pid) else None


def test_the_first_user_starts_the_service_and_the_last_one_stops_it(data):
    with sharing.shared(ECHO, data) as share:
        assert share.started
        assert paths.read_state(data, "echo")["greeting"] == "hello"

    assert keeper(data) is None
    assert (data / "stopped").exists()


def test_a_second_user_finds_the_service_running(data):
    other = OtherUser(data)

    with sharing.shared(ECHO, data) as share:
        assert not share.started
    assert keeper(data)

    other.leave()
    assert keeper(data) is None


def test_the_service_outlives_the_user_that_started_it(data):
    first = OtherUser(data)
    with sharing.shared(ECHO, data):
        first.leave()

        assert keeper(data)


def test_a_killed_user_does_not_keep_the_service_running(data):
    other = OtherUser(data)

    other.kill()

    assert processes.wait_until(lambda: (data / "stopped").exists(), seconds=20)


def test_a_killed_user_does_not_take_the_service_from_the_others(data):
    first = OtherUser(data)
    with sharing.shared(ECHO, data) as share:
        first.kill()

        assert not processes.wait_until(lambda: not share.is_running(), seconds=1)


def test_many_users_at_once_start_one_service(data):
    users = [
        subprocess.Popen(
            [sys.executable, "-c", HOLD, str(data)],
            cwd=paths.CHECKOUT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        for _ in range(4)
    ]
    said = [user.stdout.readline() for user in users if user.stdout]

    running = [
        process.pid
        for process in psutil.process_iter(["cmdline"])
        if {ECHO.module, str(data)} <= set(process.info["cmdline"] or ())
    ]

    assert said == [b"in\n"] * 4
    assert running == [keeper(data)]
    for user in users:
        user.communicate()


def test_a_service_that_cannot_start_tells_its_user_why(data):
    (data / "refuse").touch()

    with pytest.raises(LocalError, match="It does not want to"), sharing.shared(ECHO, data):
        pass


def test_a_service_that_ended_is_started_again(data):
    with sharing.shared(ECHO, data) as share:
        (data / "die").touch()
        assert processes.wait_until(lambda: not share.is_running(), seconds=20)
        (data / "die").unlink()

        assert share.ensure_running()
        assert keeper(data)


def test_a_killed_keeper_is_replaced(data):
    with sharing.shared(ECHO, data) as share:
        os.kill(keeper(data) or 0, signal.SIGKILL)
        assert processes.wait_until(lambda: not share.is_running(), seconds=20)

        assert share.ensure_running()


def test_a_folder_in_use_is_not_had_alone(data):
    other = OtherUser(data)

    with pytest.raises(LocalError, match="stop it first"), sharing.alone(ECHO, data):
        pass

    other.leave()
    with sharing.alone(ECHO, data):
        pass


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_root_leaves_the_data_folder_of_somebody_else_alone(data):
    theirs = data / "theirs"
    theirs.mkdir()
    os.chown(theirs, 12345, 12345)

    with pytest.raises(LocalError, match="start as that user"), sharing.shared(ECHO, theirs):
        pass

    assert list(theirs.iterdir()) == []
