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
from collections.abc import Callable
from pathlib import Path

ON_LINUX = sys.platform == "linux"
PR_SET_PDEATHSIG = 1
LIBC = ctypes.CDLL(None, use_errno=True) if ON_LINUX else None


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


def is_alive(pid: int) -> bool:
    """Whether the process runs; a zombie does not."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return not ON_LINUX or _stat(pid)[0] not in {"Z", "X", ""}


def group_members(group: int) -> list[int]:
    """The running processes of a process group (Linux); elsewhere the group's own number."""
    if not ON_LINUX:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(group, 0)
            return [group]
        return []
    found = ((pid, _stat(pid)) for pid in _all_pids())
    return [pid for pid, (state, member) in found if member == group and state not in {"Z", "X"}]


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


def end(process: subprocess.Popen[bytes], *steps: tuple[signal.Signals, float]) -> int:
    """Send one signal after the other, each with its seconds of patience; the exit code."""
    for signum, seconds in steps:
        send(process.pid, signum) if process.poll() is None else None
        with contextlib.suppress(subprocess.TimeoutExpired):
            return process.wait(seconds)
    process.kill()
    return process.wait()
