"""The jail: asks checkers that nobody trusts about responses, and comes back with outcomes.

One request holds the checkers of a spec and the responses of a batch. The zygote forks a child for
each checker, which answers for all responses of the batch; so no checker shares an interpreter with
another one. A process has one jail (:func:`shared`), started when it is first needed; in a forked
worker that is after the fork.
"""

from __future__ import annotations

import atexit
import hashlib
import json
import os
import socket
import sys
import threading
import time
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from rubricstudio.core.types import CheckCause, CheckOutcome, CheckResult
from rubricstudio.sandbox import limits, spawner
from rubricstudio.sandbox.errors import GeneratedCodeRefused, JailBroken
from rubricstudio.sandbox.frames import LENGTH, frame
from rubricstudio.sandbox.ladder import Ladder, Layer, Rung, refusal_of_system

INTERPRETER: Final = f"cpython-{sys.version_info.major}.{sys.version_info.minor}"
"""What runs the checkers; part of what an outcome depends on, and of a bundle."""

START_SECONDS: Final = 20.0
GATED_SOURCES: Final = 4_096
"""How many sources a jail remembers to have passed the gate."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a checker said of one response: True, False, or nothing and the cause."""

    verdict: bool | None
    cause: CheckCause
    reason: str
    cpu_seconds: float

    def as_outcome(self) -> CheckOutcome:
        """The outcome that is stored; a checker without a verdict is unavailable."""
        if self.verdict is None:
            return CheckOutcome(CheckResult.UNAVAILABLE, self.cause, self.reason)
        result = CheckResult.PASSED if self.verdict else CheckResult.FAILED
        said = "the generated checker says yes" if self.verdict else "the generated checker says no"
        return CheckOutcome(result, self.cause, said)


class Jail:
    """A zygote and the channel to it. Threads may share one; each request waits for its turn.

    ``hash_seed`` orders sets and dictionaries of strings inside; ``without`` leaves out walls by
    name, which is for tests of the others; a gated jail lets no source in that the gate refuses.
    """

    def __init__(
        self, *, hash_seed: int = 0, without: Iterable[str] = (), gated: bool = True
    ) -> None:
        self._hash_seed, self._without = hash_seed, tuple(without)
        self.gated = gated
        self._passed: OrderedDict[str, None] = OrderedDict()
        self._lock = threading.RLock()
        self._owner = os.getpid()
        self._started: spawner.Started | None = None
        self._ladder: Ladder | None = None

    def ladder(self) -> Ladder:
        """Which walls stand, as tried when the zygote started; starts one if need be.

        Raises GeneratedCodeRefused on another system than Linux, and JailBroken when no zygote can
        be started.
        """
        with self._lock:
            self._ensure()
            assert self._ladder is not None  # noqa: S101 - set by _ensure
            return self._ladder

    @property
    def pid(self) -> int | None:
        """The process that holds the zygote, where one runs; its death is the zygote's."""
        return self._started.process.pid if self._started else None

    def check(
        self, sources: Sequence[str], instruction: str, responses: Sequence[str]
    ) -> list[list[Answer]]:
        """One list of answers per checker, each in the order of the responses.

        A checker's own failure is an answer with its cause. Raises GeneratedCodeRefused where the
        walls do not allow generated code, and JailBroken when the jail itself failed twice.
        """
        answers: list[list[Answer]] = [[] for _ in sources]
        for batch in _batches(responses):
            rows = self._check_batch(sources, instruction, batch)
            for kept, more in zip(answers, rows, strict=True):
                kept.extend(more)
        return answers

    def close(self) -> None:
        """End the zygote, if there is one; a later check starts another."""
        with self._lock:
            self._drop()

    def _check_batch(
        self, sources: Sequence[str], instruction: str, responses: Sequence[str]
    ) -> list[list[Answer]]:
        short = [one if len(one) <= limits.LONGEST_RESPONSE else "" for one in responses]
        rows = self._exchange_twice(sources, instruction, short)
        found = [[_answer(one) for one in row] for row in rows]
        for row, source in zip(found, sources, strict=True):
            if self.gated and row and row[0].cause is not CheckCause.REFUSED:
                self._remember(source)
            for at, response in enumerate(responses):
                if len(response) > limits.LONGEST_RESPONSE:
                    row[at] = _too_long(len(response))
        return found

    def _exchange_twice(
        self, sources: Sequence[str], instruction: str, responses: Sequence[str]
    ) -> list[list[Any]]:
        """The zygote's rows; a zygote that is lost in between is replaced once."""
        for _ in range(2):
            with self._lock:
                self._ensure_open()
                try:
                    return self._exchange(sources, instruction, responses)
                except (OSError, EOFError, ValueError) as error:
                    problem = error
                    self._drop()
                except BaseException:
                    # A time limit of the task: the channel is in the midst of an answer.
                    self._drop()
                    raise
        raise JailBroken(f"the jail was lost twice in one batch: {problem}; try again") from problem

    def _exchange(
        self, sources: Sequence[str], instruction: str, responses: Sequence[str]
    ) -> list[list[Any]]:
        texts = [_utf8(one) for one in (instruction, *responses)]
        gated = [self.gated and _digest(one) not in self._passed for one in sources]
        asked = {"sources": list(sources), "gated": gated, "sizes": [len(one) for one in texts]}
        until = time.monotonic() + _longest(len(sources), len(responses))
        self._send(b"".join([frame(json.dumps(asked).encode()), *texts]), until)
        rows = json.loads(self._receive(until))
        if [len(row) for row in rows] != [len(responses)] * len(sources):
            raise ValueError("the zygote answered for other responses than it was asked about")
        return list(rows)

    def _ensure_open(self) -> None:
        self._ensure()
        assert self._ladder is not None  # noqa: S101 - set by _ensure
        if self._ladder.rung is Rung.REFUSED and "seccomp" not in self._without:
            raise GeneratedCodeRefused(self._ladder.meaning)

    def _ensure(self) -> None:
        if self._owner != os.getpid():
            self._forget()
        if self._started is not None and self._started.process.poll() is None:
            return
        self._drop()
        self._start()

    def _forget(self) -> None:
        """In a forked child: the zygote is the parent's, so leave it alone."""
        if self._started is not None:
            process, channel = self._started
            channel.close()
            if process.stderr is not None:
                process.stderr.close()
            process.returncode = 0  # it is not ours to wait for
        self._started, self._owner = None, os.getpid()

    def _start(self) -> None:
        reason = refusal_of_system()
        if reason is not None:
            raise GeneratedCodeRefused(reason)
        try:
            self._started = spawner.current().start(
                hash_seed=self._hash_seed, without=self._without
            )
            hello = json.loads(self._receive(time.monotonic() + START_SECONDS))
        except (OSError, EOFError, ValueError) as error:
            raise JailBroken(f"no zygote can be started: {error}{self._told()}") from error
        except BaseException:
            self._drop()
            raise
        layers = (Layer(one["layer"], one["stands"], one["how"]) for one in hello["layers"])
        self._ladder = Ladder(tuple(layers))

    def _told(self) -> str:
        """What a zygote that failed to start wrote before it died; ends it."""
        if self._started is None:
            return ""
        self._started.process.kill()
        _, errors = self._started.process.communicate()
        self._drop()
        lines = errors.decode(errors="replace").strip().splitlines()
        return f"; it said: {lines[-1][:300]}" if lines else ""

    def _drop(self) -> None:
        if self._started is None:
            return
        process, channel = self._started
        self._started = None
        channel.close()
        process.kill()
        process.wait()
        if process.stderr is not None:
            process.stderr.close()

    def _remember(self, source: str) -> None:
        self._passed[_digest(source)] = None
        if len(self._passed) > GATED_SOURCES:
            self._passed.popitem(last=False)

    def _send(self, data: bytes, until: float) -> None:
        channel = self._channel
        channel.settimeout(max(0.1, until - time.monotonic()))
        channel.sendall(data)

    def _receive(self, until: float) -> bytes:
        size = int.from_bytes(self._receive_exactly(LENGTH, until), "big")
        if size > limits.FRAME_BYTES:
            raise ValueError(f"the zygote announced an answer of {size:,} bytes")
        return self._receive_exactly(size, until)

    def _receive_exactly(self, size: int, until: float) -> bytes:
        held = bytearray()
        while len(held) < size:
            self._channel.settimeout(max(0.1, until - time.monotonic()))
            part = self._channel.recv(size - len(held))
            if not part:
                raise EOFError("the zygote closed its channel")
            held += part
        return bytes(held)

    @property
    def _channel(self) -> socket.socket:
        if self._started is None:
            raise EOFError("there is no zygote")
        return self._started.channel


def _batches(responses: Sequence[str]) -> Iterator[list[str]]:
    """The responses in order, in batches of bounded number and size."""
    batch: list[str] = []
    size = 0
    for response in responses:
        if batch and (
            len(batch) == limits.RESPONSES_A_BATCH or size + len(response) > limits.BATCH_BYTES // 4
        ):
            yield batch
            batch, size = [], 0
        batch.append(response)
        size += min(len(response), limits.LONGEST_RESPONSE)
    if batch:
        yield batch


def _longest(sources: int, responses: int) -> float:
    """Seconds after which the zygote itself must have hung."""
    case = limits.CASE_SECONDS + limits.GRACE_SECONDS
    failing = limits.HARD_FAILURES * limits.START_SECONDS
    return sources * (responses * case + failing + limits.START_SECONDS) + 5.0


def _answer(row: Sequence[Any]) -> Answer:
    verdict, cause, reason, micros = row
    return Answer(verdict, CheckCause(cause), reason, micros / 1e6)


def _too_long(size: int) -> Answer:
    most = limits.LONGEST_RESPONSE
    told = f"the response has {size:,} characters; generated checkers read at most {most:,}"
    return Answer(None, CheckCause.REFUSED, told, 0.0)


def _utf8(text: str) -> bytes:
    # A response may hold half of a surrogate pair, which no strict UTF-8 can.
    return text.encode("utf-8", "surrogatepass")


def _digest(source: str) -> str:
    return hashlib.sha256(_utf8(source)).hexdigest()


_shared: Jail | None = None
_shared_lock = threading.Lock()


def shared() -> Jail:
    """The jail of this process, gated and with every wall; closed by :func:`close_shared`."""
    global _shared
    with _shared_lock:
        if _shared is None:
            _shared = Jail()
        return _shared


def close_shared() -> None:
    """End this process's zygote, if it started one."""
    with _shared_lock:
        if _shared is not None:
            _shared.close()


def _renew_locks() -> None:
    """A lock that another thread held at the time of a fork is never released in the child."""
    global _shared, _shared_lock
    _shared_lock = threading.Lock()
    if _shared is not None:
        _shared._forget()
        _shared._lock = threading.RLock()


os.register_at_fork(after_in_child=_renew_locks)
atexit.register(close_shared)
