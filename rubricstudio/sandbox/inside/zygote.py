"""The zygote: a small interpreter behind the walls that forks a child for each checker of a batch.

Started by ``rubricstudio.sandbox.spawner`` as ``python -c``, with one socket as its descriptor 0.
The process that is started puts up the namespaces and becomes the parent of the zygote, which is
the first process of its own process namespace; when the parent dies, all of it dies.
"""

import errno
import gc
import importlib
import json
import os
import select
import signal
import sys
import time

from rubricstudio.sandbox import limits
from rubricstudio.sandbox.frames import frame, read_exactly, read_frame, write_all
from rubricstudio.sandbox.gate import MODULES
from rubricstudio.sandbox.inside import child, kernel, layers
from rubricstudio.sandbox.inside.seccomp import Filter

# Behind the walls there is no file to read, so what a checker may import is imported before.
PRELOADED = (*MODULES, "collections.abc", "encodings.ascii", "encodings.latin_1")

CONTROL, NULL, ERRORS = 0, 1, 2
NONCE_BYTES = 16
GATHER_SECONDS = 0.002
DEATH_SECONDS = 0.2
"""How long a child that closed its channel has to be dead, before it is ended."""


def main(arguments: list[str]) -> None:
    """Put up the walls, say how that went, and serve until the other end closes."""
    options = json.loads(arguments[0])
    for name in PRELOADED:
        importlib.import_module(name)
    _die_with(options["parent"])
    without = set(options["without"])
    layers.leave_root()
    _die_with(None)
    reports = [
        layers.attempt(layers.NAMESPACES, layers.namespaces, skipped=layers.NAMESPACES in without)
    ]
    zygote = os.fork()
    if zygote:
        _wait_for(zygote)
    kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)
    reports += _inner_walls(without)
    stands = {str(one["layer"]) for one in reports if one["stands"]}
    hello = {"layers": reports, "python": sys.version.split()[0]}
    write_all(CONTROL, frame(json.dumps(hello).encode()))
    if layers.SECCOMP not in stands and layers.SECCOMP not in without:
        return
    sys.path.clear()
    sys.stdin = sys.stderr = None
    os.dup2(NULL, ERRORS)
    gc.collect()
    gc.freeze()
    _serve(Filter() if layers.SECCOMP in stands else None)


def _die_with(parent: int | None) -> None:
    kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)
    if parent is not None and os.getppid() != parent:
        os._exit(1)


def _wait_for(zygote: int) -> None:
    """Nothing but stay alive as long as the zygote, whose death is this one's."""
    for descriptor in (CONTROL, NULL, ERRORS):
        os.close(descriptor)
    os.waitpid(zygote, 0)
    os._exit(0)


def _inner_walls(without: set[str]) -> list[layers.Report]:
    walls = (
        (layers.LIMITS, layers.rlimits),
        (layers.LANDLOCK, layers.landlock),
        (layers.SECCOMP, layers.seccomp),
    )
    reports = [layers.attempt(name, wall, skipped=name in without) for name, wall in walls]
    kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
    kernel.drop_capabilities()
    return reports


def _serve(filter_: Filter | None) -> None:
    while True:
        try:
            asked = json.loads(read_frame(CONTROL))
            batch = child.Batch(asked["sizes"], read_exactly(CONTROL, sum(asked["sizes"])))
        except EOFError:
            return
        answers = [
            _Checker(source, gated, batch, filter_).answers()
            for source, gated in zip(asked["sources"], asked["gated"], strict=True)
        ]
        write_all(CONTROL, frame(json.dumps(answers).encode()))
        del batch


class _Checker:
    """One checker and the responses of a batch: a child, and another after each hard failure."""

    def __init__(
        self, source: str, gated: bool, batch: child.Batch, filter_: Filter | None
    ) -> None:
        self._source, self._gated = source, gated
        self._batch, self._count, self._filter = batch, batch.count, filter_
        self._answers: list[child.Answer] = []
        self._ready = False

    def answers(self) -> list[child.Answer]:
        failures = 0
        while len(self._answers) < self._count:
            failure = self._run_child()
            if failure is None:
                break
            failures += 1
            # What was written behind the last answer says that the last one is not to be trusted.
            del self._answers[self._count - 1 :]
            self._answers.append([None, *failure, 0])
            if failures == limits.HARD_FAILURES:
                self._give_up(failure[0])
        return self._answers

    def _give_up(self, cause: str) -> None:
        told = f"not run: the checker had failed {limits.HARD_FAILURES} times in this batch"
        rest = self._count - len(self._answers)
        self._answers += [[None, cause, told, 0] for _ in range(rest)]

    def _run_child(self) -> tuple[str, str] | None:
        """Fork a child for the responses without an answer; why it ended early, if it did."""
        self._ready = False
        reader, writer = os.pipe()
        nonce = os.urandom(NONCE_BYTES)
        pid = os.fork()
        if pid == 0:
            self._be_child(writer, nonce)
        os.close(writer)
        ended = None
        try:
            failure = self._read(reader, nonce)
            if failure == _GONE:
                ended = _status(pid)
        finally:
            os.close(reader)
            if ended is None:
                _end(pid)
        return _cause(ended) if failure == _GONE else failure

    def _be_child(self, writer: int, nonce: bytes) -> None:
        try:
            start = len(self._answers)
            seconds = int((self._count - start) * limits.CASE_SECONDS + limits.START_SECONDS) + 1
            child.lock_in(writer, self._filter, seconds)
            child.answer_all(self._source, self._gated, self._batch, start, nonce)
        except BaseException:  # noqa: BLE001 - nothing of the zygote may run in a child
            os._exit(errno.EIO)
        os._exit(0)

    def _read(self, reader: int, nonce: bytes) -> tuple[str, str] | None:
        """Take answers until all are there; the cause of an early end, else None."""
        held, total = bytearray(), 0
        deadline = time.monotonic() + limits.START_SECONDS
        poll = select.poll()
        poll.register(reader, select.POLLIN)
        while len(self._answers) < self._count:
            if not poll.poll(max(0.0, deadline - time.monotonic()) * 1000):
                return _LATE
            part = os.read(reader, 65536)
            if not part:
                return _GONE
            held += part
            total += len(part)
            if total > limits.FRAME_BYTES or not self._take(held, nonce):
                return _FORGED
            deadline = time.monotonic() + limits.CASE_SECONDS + limits.GRACE_SECONDS
            if self._count - len(self._answers) > 1:
                # Let answers gather: to be woken for each costs more than most checkers do.
                time.sleep(GATHER_SECONDS)
        return None

    def _take(self, held: bytearray, nonce: bytes) -> bool:
        """Move complete frames from the buffer to the answers; false where one is no answer."""
        while len(held) >= 4:
            size = int.from_bytes(held[:4], "big")
            if size > _LONGEST_ANSWER or (len(held) >= 20 and held[4:20] != nonce):
                return False
            if len(held) < 4 + size:
                return True
            answer = _parsed(bytes(held[20 : 4 + size]))
            if answer is None or len(self._answers) == self._count:
                return False
            if self._ready == (answer == child.READY):
                return False
            if self._ready:
                self._answers.append(answer)
            self._ready = True
            del held[: 4 + size]
        return True


_LATE = ("timeout", f"it took longer than {limits.CASE_SECONDS:g} s")
_FORGED = ("forged", "it wrote to the channel of the answers")
_GONE = ("gone", "")
_LONGEST_ANSWER = 4096
_CAUSES = ("ok", "exception", "memory", "refused")


def _parsed(data: bytes) -> child.Answer | None:
    """An answer in the one form that a child writes; None for anything else."""
    try:
        answer = json.loads(data)
    except ValueError:
        return None
    match answer:
        case [bool() | None as verdict, str(cause), str(reason), int(micros)] if (
            cause in _CAUSES and (verdict is None) == (cause != "ok") and micros >= 0
        ):
            return [verdict, cause, reason[: limits.LONGEST_REASON], micros]
        case child.READY:
            return child.READY
    return None


def _status(pid: int) -> int | None:
    """How a child ended; None when it lives on after closing its channel."""
    deadline = time.monotonic() + DEATH_SECONDS
    while time.monotonic() < deadline:
        found, status = os.waitpid(pid, os.WNOHANG)
        if found:
            return status
        time.sleep(0.001)
    return None


def _end(pid: int) -> None:
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)


def _cause(status: int | None) -> tuple[str, str]:
    """What the end of a child says about its checker."""
    if status is None:
        return _FORGED
    if not os.WIFSIGNALED(status):
        return "crash", f"it ended its process with the code {os.WEXITSTATUS(status)}"
    number = os.WTERMSIG(status)
    if number in (signal.SIGALRM, signal.SIGXCPU):
        return _LATE
    if number == signal.SIGKILL:
        return "memory", "the kernel ended it, as it does when memory runs out"
    return "crash", f"its process died of {signal.Signals(number).name}"
