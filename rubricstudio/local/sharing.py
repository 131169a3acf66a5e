"""One database and one model server for every process that needs them.

Several commands and ``up`` use a service at once, and any of them may end first or be killed. So
each service runs under a keeper, a process of its own that nobody is the parent of, and three locks
on files say what is going on. The kernel drops a lock with the process that holds it::

    NAME.users     shared by every user; the keeper stops when it gets it alone
    NAME.keeper    held by the keeper for as long as it lives
    NAME.starting  held by the one user that looks whether to start a keeper

A user that comes while the keeper is stopping waits for the first lock, then starts a new one.
"""

import contextlib
import fcntl
import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

from rubricstudio.local import paths, processes
from rubricstudio.local.errors import LocalError

STOP_SECONDS = 11.0
LOOK_SECONDS = 2.0
KEEPER_LOOKS_EVERY = 0.2


@dataclass(frozen=True)
class Service:
    """A program that is started once per data folder: ``python -m module DATA``."""

    name: str
    module: str
    start_seconds: float


@dataclass
class Share:
    """One user's hold on a service; the service runs at least until it is given back."""

    service: Service
    data: Path
    users: int
    started: bool = False

    def is_running(self) -> bool:
        return _is_held(self._lock("keeper"))

    def ensure_running(self) -> bool:
        """Start the service unless it runs; whether this call started it."""
        with _exclusive(self._lock("starting")):
            self.started = not self._is_ready_soon()
            if self.started:
                _start_keeper(self.service, self.data)
        return self.started

    def _is_ready_soon(self) -> bool:
        """A keeper whose starter was killed may be starting or stopping: wait for either."""
        while self.is_running():
            if paths.read_state(self.data, self.service.name).get("ready"):
                return True
            time.sleep(KEEPER_LOOKS_EVERY)
        return False

    def leave(self) -> None:
        """Give the hold back; the last user sees the service off before it goes on."""
        try:
            if _try(self.users, fcntl.LOCK_EX):
                self._ask_keeper_to_stop()
                self._await_stop()
            elif not _try(self.users, fcntl.LOCK_SH):
                self._await_stop()  # the keeper noticed first and is stopping
        finally:
            os.close(self.users)

    def _ask_keeper_to_stop(self) -> None:
        pid = paths.read_state(self.data, self.service.name).get("pid")
        if pid and self.is_running():
            processes.send(int(pid), signal.SIGTERM)

    def _await_stop(self) -> None:
        processes.wait_until(lambda: not self.is_running(), seconds=STOP_SECONDS)

    def _lock(self, kind: str) -> Path:
        return _lock_file(self.service, self.data, kind)


@contextlib.contextmanager
def shared(service: Service, data: Path) -> Iterator[Share]:
    """Use a service, starting it if nobody has; the last user that leaves stops it."""
    with held(service, data) as share:
        share.ensure_running()
        yield share


@contextlib.contextmanager
def held(service: Service, data: Path) -> Iterator[Share]:
    """The hold of a user, to start the service with when it suits."""
    paths.refuse_foreign(data)
    users = _open(_lock_file(service, data, "users"))
    fcntl.flock(users, fcntl.LOCK_SH)
    share = Share(service=service, data=data, users=users)
    try:
        yield share
    finally:
        share.leave()


@contextlib.contextmanager
def alone(service: Service, data: Path) -> Iterator[None]:
    """Have a service's folder without any other user; `LocalError` when somebody uses it."""
    users = _open(_lock_file(service, data, "users"))
    try:
        if not _try(users, fcntl.LOCK_EX):
            raise LocalError(f"Rubric Studio runs on {data}; stop it first.")
        yield
    finally:
        os.close(users)


def keep(
    service: Service,
    data: Path,
    *,
    start: Callable[[], Mapping[str, Any]],
    is_alive: Callable[[], bool],
    stop: Callable[[], None],
) -> None:
    """The whole life of a keeper: start, tell the user, wait for the last user, stop.

    ``start`` returns what users may want to know. That goes into the service's state file, which
    ``start`` may write itself before it is ready. A `LocalError` of it is passed on to the user.
    """
    _detach()
    keeper = _open(_lock_file(service, data, "keeper"))
    # Whoever looks whether the keeper runs holds this lock for a moment.
    if not processes.wait_until(lambda: _try(keeper, fcntl.LOCK_EX), seconds=LOOK_SECONDS):
        _report({"error": f"The {service.name} is being started by somebody else."})
        return
    state_file = paths.run_dir(data) / f"{service.name}.json"
    state_file.unlink(missing_ok=True)
    asked_to_stop = _stop_requests()
    try:
        state = {"pid": os.getpid(), "ready": True, **start()}
        paths.write_state(data, service.name, state)
        _report(state)
        users = _open(_lock_file(service, data, "users"))
        while is_alive() and not asked_to_stop and not _try(users, fcntl.LOCK_EX):
            time.sleep(KEEPER_LOOKS_EVERY)
    except LocalError as error:
        _report({"error": str(error)})
    finally:
        state_file.unlink(missing_ok=True)
        stop()


def _stop_requests() -> list[int]:
    """A list that fills when somebody asks the keeper to stop."""
    requests: list[int] = []

    def note(signum: int, _frame: FrameType | None) -> None:
        requests.append(signum)

    signal.signal(signal.SIGTERM, note)
    signal.signal(signal.SIGINT, note)
    return requests


def _start_keeper(service: Service, data: Path) -> None:
    log = paths.log_file(data, service.name)
    with log.open("ab") as messages:
        starter = subprocess.Popen(
            [sys.executable, "-m", service.module, str(data)],
            cwd=paths.CHECKOUT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=messages,
            start_new_session=True,  # ctrl-C is for its users
        )
    assert starter.stdout is not None  # noqa: S101 - a pipe was asked for
    with starter.stdout as reports:
        answer = _first_line(reports.fileno(), seconds=service.start_seconds)
    starter.wait()
    if "error" in answer:
        raise LocalError(answer["error"])
    if not answer:
        raise LocalError(f"The {service.name} did not start; its log is {log}.")


def _detach() -> None:
    """Go on in a child that the user who started it is not the parent of."""
    if os.fork():
        os._exit(0)


def _report(answer: Mapping[str, Any]) -> None:
    """Tell the user that waits, who may have been killed meanwhile; there is one report only."""
    with contextlib.suppress(OSError):
        os.write(sys.stdout.fileno(), json.dumps(answer).encode() + b"\n")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def _first_line(reports: int, *, seconds: float) -> dict[str, Any]:
    """The keeper's report; empty when it ended without one or took too long."""
    deadline = time.monotonic() + seconds
    text = b""
    while not text.endswith(b"\n"):
        readable, _, _ = select.select([reports], [], [], max(0, deadline - time.monotonic()))
        chunk = os.read(reports, 65536) if readable else b""
        if not chunk:
            return {}
        text += chunk
    answer: dict[str, Any] = json.loads(text)
    return answer


def _lock_file(service: Service, data: Path, kind: str) -> Path:
    return paths.private_dir(paths.run_dir(data)) / f"{service.name}.{kind}"


def _open(lock: Path) -> int:
    try:
        return os.open(lock, os.O_RDWR | os.O_CREAT, 0o600)
    except PermissionError:
        raise LocalError(f"{lock} belongs to another user: start as that user.") from None


def _try(lock: int, operation: int) -> bool:
    try:
        fcntl.flock(lock, operation | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _is_held(path: Path) -> bool:
    lock = _open(path)
    try:
        return not _try(lock, fcntl.LOCK_SH)
    finally:
        os.close(lock)


@contextlib.contextmanager
def _exclusive(path: Path) -> Iterator[None]:
    lock = _open(path)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)
