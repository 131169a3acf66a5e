"""Starts zygotes from one thread that lives as long as the process.

A zygote asks the kernel to die with its parent, and to the kernel the parent is the *thread* that
started it. A request thread of a web server, or a task's, would take the zygote with it when it
ends; so every process that needs a zygote has one thread whose only work is to start them.
"""

from __future__ import annotations

import json
import os
import queue
import socket
import subprocess
import sys
import threading
from collections.abc import Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).resolve().parents[2]
START: Final = (
    "import sys; sys.path.insert(0, sys.argv.pop(1)); "
    "from rubricstudio.sandbox.inside.zygote import main; main(sys.argv[1:])"
)


class Started(NamedTuple):
    """A started process and our end of its channel."""

    process: subprocess.Popen[bytes]
    channel: socket.socket


class _Order(NamedTuple):
    command: Sequence[str]
    environment: dict[str, str]
    result: Future[Started]


class Spawner:
    """The thread that starts zygotes; made anew in a process that was forked."""

    def __init__(self) -> None:
        self._orders: queue.SimpleQueue[_Order] = queue.SimpleQueue()
        threading.Thread(target=self._work, name="sandbox-spawner", daemon=True).start()

    def start(self, *, hash_seed: int, without: Sequence[str]) -> Started:
        """A new zygote that has not yet said anything; raises OSError when none can be started."""
        options = {"parent": os.getpid(), "without": list(without)}
        # -S and -s: no installed package and nothing of a user's; -P: not the current folder.
        flags = ("-S", "-s", "-P", "-B")
        command = [sys.executable, *flags, "-c", START, str(ROOT), json.dumps(options)]
        # Made by hand: whatever the parent's environment holds would stay readable in the child.
        environment = {"PYTHONHASHSEED": str(hash_seed), "LC_ALL": "C.UTF-8", "PATH": ""}
        result: Future[Started] = Future()
        self._orders.put(_Order(command, environment, result))
        return result.result()

    def _work(self) -> None:
        while True:
            order = self._orders.get()
            try:
                order.result.set_result(_popen(order.command, order.environment))
            except BaseException as error:  # noqa: BLE001 - handed to the one who waits
                order.result.set_exception(error)


def _popen(command: Sequence[str], environment: dict[str, str]) -> Started:
    ours, theirs = socket.socketpair()
    try:
        process = subprocess.Popen(
            command,
            stdin=theirs.fileno(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env=environment,
            cwd="/",
            close_fds=True,
            start_new_session=True,
        )
    except BaseException:
        ours.close()
        raise
    finally:
        theirs.close()
    return Started(process, ours)


_current: Spawner | None = None
_lock = threading.Lock()


def current() -> Spawner:
    """The spawner of this process."""
    global _current
    with _lock:
        _current = _current or Spawner()
        return _current


def _forget() -> None:
    """In a forked child the thread is not there; the next who asks starts it anew."""
    global _current, _lock
    _current, _lock = None, threading.Lock()


os.register_at_fork(after_in_child=_forget)
