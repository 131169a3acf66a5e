"""Runs a hostile program where nothing holds it, to prove that it does harm; bounded on all sides.

The naive host here is what a hurried programmer would write: it executes the source among its own
globals, calls the function and writes the reply to a pipe.
"""

import os
import resource
import signal
import subprocess
import sys
import threading
from dataclasses import dataclass

SECRET = "a-secret-of-the-host"
SECONDS = 1.5
MEMORY = 2**30

HOST = """
import json, os, signal, sys
source, instruction, mode, reply = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
host_secret = "a-secret-of-" + "the-host"
if mode == "raising_alarm":
    def late(*_):
        raise TimeoutError("late")
    signal.signal(signal.SIGALRM, late)
if mode in ("raising_alarm", "deadly_alarm"):
    signal.setitimer(signal.ITIMER_REAL, 0.3)
if mode == "parented" and os.fork():
    os.wait()
    sys.exit(0)
exec(source, globals())
verdict = check_following(instruction, "a response")
if mode == "truth":
    verdict = bool(verdict)
if mode == "victim":
    import re
    verdict = len("abc") == 3 and re.findall("b", "abc") == ["b"]
os.write(reply, b"yes" if verdict is True else b"no")
"""

BYSTANDER = """
sleep 30 & bystander=$!
"$@"
sleep 0.1
kill -0 $bystander 2>/dev/null || echo "the bystander is dead" >&9
"""


@dataclass(frozen=True)
class Outcome:
    """How the naive host fared."""

    reply: bytes
    code: int | None
    printed: int
    peak: int

    @property
    def hung(self) -> bool:
        return self.code is None


def run(source: str, instruction: str, mode: str = "") -> Outcome:
    """Run a program in the naive host; `code` is None where it had to be killed in the end."""
    reader, writer = os.pipe()
    command = [sys.executable, "-S", "-c", HOST, source, instruction, mode, str(writer)]
    if mode == "bystander":
        # kill(-1) reaches all processes of its namespace; one of its own, with one bystander.
        script = BYSTANDER.replace("&9", f"&{writer}")
        jail = ["unshare", "--user", "--map-root-user", "--pid", "--fork", "--kill-child"]
        command = [*jail, "bash", "-c", script, "bystander", *command]
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        pass_fds=[writer],
        start_new_session=True,
        preexec_fn=_limits,
    )
    os.close(writer)
    printed: list[int] = []
    drain = threading.Thread(target=_count, args=(process.stdout, printed))
    drain.start()
    code, peak = _wait(process)
    drain.join()
    with os.fdopen(reader, "rb") as replies:
        return Outcome(replies.read(4096), code, sum(printed), peak)


def _limits() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_FSIZE, (8 * 2**20, 8 * 2**20))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (5, 6))


def _count(stream, printed: list[int]) -> None:
    with stream:
        while part := stream.read1(2**20):
            printed.append(len(part))


def _wait(process: subprocess.Popen) -> tuple[int | None, int]:
    late = threading.Event()

    def end() -> None:
        late.set()
        os.killpg(process.pid, signal.SIGKILL)

    timer = threading.Timer(SECONDS, end)
    timer.start()
    _, status, usage = os.wait4(process.pid, 0)
    timer.cancel()
    process.returncode = os.waitstatus_to_exitcode(status)
    return (None if late.is_set() else process.returncode), usage.ru_maxrss * 1024
