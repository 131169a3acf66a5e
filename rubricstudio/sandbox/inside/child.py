"""What a forked child does: lock itself in, then ask one checker about the responses of a batch.

The child has three descriptors: 0 is the way back, 1 and 2 lead nowhere. After each response it
writes one frame, which begins with a nonce that only this child was given, so that a checker that
writes to descriptors it finds is caught. Whatever the checker's code does to this interpreter, it
can change nothing but its own answers: every checker has a process of its own.
"""

import itertools
import json
import os
import signal
import time
from collections.abc import Iterator

from rubricstudio.sandbox import limits
from rubricstudio.sandbox.frames import frame
from rubricstudio.sandbox.gate import Refused, examine
from rubricstudio.sandbox.inside import kernel, layers
from rubricstudio.sandbox.inside.seccomp import Filter

REPLY = 0
FUNCTION = "check_following"

Answer = list[object]
"""Verdict (or null), cause, reason, CPU microseconds."""

READY: Answer = [None, "ready", "", 0]
"""The first frame: the source is read, and from now on the time of the checker counts."""


def lock_in(reply: int, filter_: Filter | None, seconds: int) -> None:
    """Leave three descriptors, take the last limits and the filter; nothing can be undone."""
    kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)
    os.dup2(reply, REPLY)
    os.closerange(3, limits.OPEN_FILES)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    layers.child_rlimits(seconds)
    if filter_ is not None:
        filter_.install()


class Batch:
    """The instruction and the responses, as UTF-8 one after the other; read one at a time."""

    def __init__(self, sizes: list[int], body: bytes) -> None:
        self._ends, self._body = list(itertools.accumulate(sizes, initial=0)), body
        self.count = len(sizes) - 1

    @property
    def instruction(self) -> str:
        return self._text(0)

    def responses(self, start: int) -> Iterator[str]:
        """The responses from one on."""
        return map(self._text, range(start + 1, self.count + 1))

    def _text(self, number: int) -> str:
        begin, end = self._ends[number], self._ends[number + 1]
        return self._body[begin:end].decode("utf-8", "surrogatepass")


def answer_all(source: str, gated: bool, batch: Batch, start: int, nonce: bytes) -> None:
    """Write one frame per response from `start` on."""
    instruction = batch.instruction
    # Held here, for a checker may put its own in their places.
    write, encode, framed = os.write, json.JSONEncoder().encode, frame

    def tell(answer: Answer) -> None:
        write(REPLY, framed(nonce + encode(answer).encode()))

    problem, code = _compiled(source, gated)
    tell(READY)
    for response in batch.responses(start):
        tell(problem or _answer(code, instruction, response))


def _compiled(source: str, gated: bool) -> tuple[Answer | None, object]:
    """What is wrong with a source as an answer, or its code."""
    try:
        if gated:
            examine(source)
        return None, compile(source, "<checker>", "exec", dont_inherit=True)
    except Refused as error:
        return [None, "refused", str(error)[: limits.LONGEST_REASON], 0], None
    except MemoryError:
        return [None, "memory", "its source takes too much memory to read", 0], None
    except (SyntaxError, ValueError, RecursionError) as error:
        return [None, "exception", f"it cannot be compiled: {_told(error)}", 0], None


def _answer(code: object, instruction: str, response: str) -> Answer:
    """Run a checker for one response, afresh, so that nothing it kept from another counts."""
    # The default action of the alarm ends the process, also in the midst of a regular expression.
    signal.setitimer(signal.ITIMER_REAL, limits.CASE_SECONDS)
    started = time.process_time_ns()
    try:
        result = _call(code, instruction, response)
        answer: Answer = _verdict(result)
    except MemoryError:
        answer = [None, "memory", "it asked for more memory than a checker may have"]
    except BaseException as error:  # noqa: BLE001 - whatever it raises, SystemExit too, is its answer
        answer = [None, "exception", _told(error)]
    answer.append((time.process_time_ns() - started) // 1000)
    signal.setitimer(signal.ITIMER_REAL, 0)
    return answer


def _call(code: object, instruction: str, response: str) -> object:
    names: dict[str, object] = {"__name__": "checker"}
    exec(code, names)  # type: ignore[arg-type] # noqa: S102 - this is what the jail is for
    function = names.get(FUNCTION)
    if not callable(function):
        raise TypeError(f"it defines no function {FUNCTION}(instruction, response)")
    return function(instruction, response)


def _verdict(result: object) -> Answer:
    if result is True or result is False:
        return [result, "ok", ""]
    kind = type(result).__name__
    return [None, "exception", f"it returned {kind[:60]}, not True or False"]


def _told(error: BaseException) -> str:
    """An exception in one line, however hard it makes that."""
    try:
        text = f"{type(error).__name__}: {error}"
        return " ".join(text[: limits.LONGEST_REASON * 2].split())[: limits.LONGEST_REASON]
    except BaseException:  # noqa: BLE001 - its text is the checker's own code
        return "an exception that cannot be shown"
