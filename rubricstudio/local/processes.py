"""Child processes that never outlive whoever started them.

The kernel tells a child that its parent died (``PR_SET_PDEATHSIG``); a child of that child is found
by its process group, for every part leads a group of its own.
"""

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import NamedTuple

ON_LINUX = sys.platform == "linux"
PR_SET_PDEATHSIG = 1
GONE = {"Z", "X", ""}  # states of /proc: a zombie waits for its parent only
KILL_SECONDS = 2.0
LIBC = ctypes.CDLL(None, use_errno=True) if ON_LINUX else None


class Step(NamedTuple):
    """A signal and how long to wait for its effect."""

    signal: signal.Signals
    seconds: float


def dies_with_parent(signum: signal.Signals) -> Callable[[], None]:
    """A ``preexec_fn`` that has the kernel send ``signum`` when the starting thread ends.

    Other systems than Linux have nothing like it: there only the watchdog cleans up.
    """
    parent = os.getpid()

    def ask_the_kernel() -> None:
        if LIBC is None:
            return
        LIBC.prctl(PR_SET_PDEATHSIG, signum)
        if os.getppid() != parent:  # it died before the kernel was asked
            os._exit(1)

    return ask_the_kernel


def members_of(groups: Collection[int]) -> dict[int, list[int]]:
    """The running processes of each process group that still has any.

    Elsewhere than on Linux a group that exists is said to have its leader.
    """
    if not ON_LINUX:
        return {group: [group] for group in groups if _group_exists(group)}
    found: dict[int, list[int]] = {}
    for pid in _all_pids() if groups else ():
        state, group = _stat(pid)
        if group in groups and state not in GONE:
            found.setdefault(group, []).append(pid)
    return found


def end_groups(groups: Collection[int], *, steps: Sequence[Step]) -> None:
    """End process groups together: each step's signal goes to their leaders, then all are killed.

    Leaders end their children themselves, in the order they need; what a leader leaves behind is
    killed.
    """
    for step in steps:
        for leader in members_of(groups):
            send(leader, step.signal)
        if wait_until(lambda: _have_ended(groups), seconds=step.seconds, every=0.1):
            return
    for group in members_of(groups):
        _kill_group(group)
    wait_until(lambda: not members_of(groups), seconds=KILL_SECONDS)


def _have_ended(groups: Collection[int]) -> bool:
    remaining = members_of(groups)
    for group, members in remaining.items():
        if group not in members:
            _kill_group(group)
    return not remaining


def _kill_group(group: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(group, signal.SIGKILL)


def _group_exists(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def working_in(folder: Path) -> list[int]:
    """The processes whose working directory is ``folder`` (Linux): how a postmaster is known."""
    found = []
    for pid in _all_pids():
        with contextlib.suppress(OSError):
            if os.readlink(f"/proc/{pid}/cwd") == str(folder):
                found.append(pid)
    return found


def _all_pids() -> list[int]:
    return [int(name) for name in os.listdir("/proc") if name.isdigit()] if ON_LINUX else []


def _stat(pid: int) -> tuple[str, int]:
    """State letter and process group from /proc; the name before them may hold anything."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return "", -1
    return fields[0], int(fields[2])


def send(pid: int, signum: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signum)


def wait_until(condition: Callable[[], bool], *, seconds: float, every: float = 0.05) -> bool:
    """Whether the condition came true within the time."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(every)
    return True


def end(process: subprocess.Popen[bytes], *, steps: Sequence[Step]) -> int:
    """Send one child a signal after the other, then kill it; its exit code."""
    for step in steps:
        process.send_signal(step.signal)
        with contextlib.suppress(subprocess.TimeoutExpired):
            return process.wait(step.seconds)
    process.kill()
    return process.wait()
