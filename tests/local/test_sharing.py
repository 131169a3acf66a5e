"""A service that is shared: here one that does nothing, started by the real keeper."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

import pytest

from rubricstudio.local import paths, processes, sharing
from rubricstudio.local.errors import LocalError
from tests.local.echo_service import ECHO
from tests.local.observing import PATIENCE, alive

HOLD = (
    "import sys; from pathlib import Path; from rubricstudio.local import sharing;"
    "from tests.local.echo_service import ECHO\n"
    "with sharing.shared(ECHO, Path(sys.argv[1])):\n"
    "    print('in', flush=True); sys.stdin.read()"
)


class OtherUser:
    """Another process that comes to hold the service."""

    def __init__(self, data: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", HOLD, str(data)],
            cwd=paths.CHECKOUT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )

    def is_in(self) -> bool:
        """Waits until it holds the service; False when it ended instead."""
        assert self.process.stdout is not None
        return self.process.stdout.readline() == b"in\n"

    def leave(self) -> None:
        self.process.communicate()

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


class Comes(Protocol):
    """Starts another user, who is in unless somebody else waits for that."""

    def __call__(self, *, wait: bool = True) -> OtherUser: ...


@pytest.fixture
def comes(data: Path) -> Iterator[Comes]:
    """Starts other users that leave with the test, whatever becomes of it."""
    users: list[OtherUser] = []

    def come(*, wait: bool = True) -> OtherUser:
        users.append(OtherUser(data))
        assert not wait or users[-1].is_in()
        return users[-1]

    yield come
    for user in users:
        with user.process:  # closes its pipes
            user.process.kill()
    service = sharing.Share(ECHO, data, users=-1)
    assert processes.wait_until(lambda: not service.is_running(), seconds=PATIENCE)


def keeper(data: Path) -> int | None:
    """The number of the service's process, if it runs."""
    pid = paths.read_state(data, "echo").get("pid")
    return pid if pid and alive([pid]) else None


def test_the_first_user_starts_the_service_and_the_last_one_stops_it(data):
    with sharing.shared(ECHO, data) as share:
        assert share.started
        assert paths.read_state(data, "echo")["greeting"] == "hello"

    assert keeper(data) is None
    assert (data / "stopped").exists()


def test_a_second_user_finds_the_service_running(data, comes):
    other = comes()

    with sharing.shared(ECHO, data) as share:
        assert not share.started
    assert keeper(data)

    other.leave()
    assert keeper(data) is None


def test_the_service_outlives_the_user_that_started_it(data, comes):
    first = comes()
    with sharing.shared(ECHO, data):
        first.leave()

        assert keeper(data)


def test_a_killed_user_does_not_keep_the_service_running(data, comes):
    other = comes()

    other.kill()

    assert processes.wait_until(lambda: (data / "stopped").exists(), seconds=PATIENCE)


def test_a_killed_user_does_not_take_the_service_from_the_others(data, comes):
    first = comes()
    with sharing.shared(ECHO, data) as share:
        first.kill()

        assert not processes.wait_until(lambda: not share.is_running(), seconds=1)


def test_many_users_at_once_start_one_service(data, comes):
    users = [comes(wait=False) for _ in range(4)]

    assert all(user.is_in() for user in users)
    assert (data / "starts").read_text().split() == [str(keeper(data))]


def test_a_service_that_cannot_start_tells_its_user_why(data):
    (data / "refuse").touch()

    with pytest.raises(LocalError, match="It does not want to"), sharing.shared(ECHO, data):
        pass


def test_a_service_that_ended_is_started_again(data):
    with sharing.shared(ECHO, data) as share:
        (data / "die").touch()
        assert processes.wait_until(lambda: not share.is_running(), seconds=PATIENCE)
        (data / "die").unlink()

        assert share.ensure_running()
        assert keeper(data)


def test_a_killed_keeper_is_replaced(data):
    with sharing.shared(ECHO, data) as share:
        os.kill(keeper(data) or 0, signal.SIGKILL)
        assert processes.wait_until(lambda: not share.is_running(), seconds=PATIENCE)

        assert share.ensure_running()


def test_a_folder_in_use_is_not_had_alone(data, comes):
    other = comes()

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
