"""The stub as a process of its own, started and ended by a ``with`` block."""

import json
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from rubricstudio.testing.stub.requestlog import LoggedRequest, read_log

PATIENCE: Final = 10.0


@dataclass(frozen=True, slots=True)
class RunningStub:
    """A stub that listens on the loopback interface."""

    port: int
    log_path: Path
    process: "subprocess.Popen[str]"

    @property
    def base_url(self) -> str:
        """The address for an :class:`~rubricstudio.llm.client.Endpoint`."""
        return f"http://127.0.0.1:{self.port}/v1"

    def configure(self, **changes: Any) -> None:
        """Change the behaviour of the running stub; names as in ``Behaviour``."""
        self._call("/stub/behaviour", json.dumps(changes).encode())

    def state(self) -> dict[str, int]:
        """Counts: requests, in_flight, max_in_flight, rejected, cached_tokens, prompt_tokens."""
        found: dict[str, int] = json.loads(self._call("/stub/state"))
        return found

    def log(self) -> list[LoggedRequest]:
        """The chat requests that have ended so far, in the order in which they ended."""
        self.state()  # asking for it flushes the log
        return list(read_log(self.log_path))

    def _call(self, path: str, body: bytes | None = None) -> bytes:
        url = f"http://127.0.0.1:{self.port}{path}"
        request = urllib.request.Request(url, data=body)
        with urllib.request.urlopen(request, timeout=PATIENCE) as response:  # noqa: S310 - ours
            answer: bytes = response.read()
        return answer


@contextmanager
def stub_server(log_path: Path, **behaviour: Any) -> Iterator[RunningStub]:
    """A stub on a free port with the given behaviour, gone when the block ends."""
    command = [sys.executable, "-m", "rubricstudio.testing.stub", "--port", "0"]
    process = subprocess.Popen(
        [*command, "--log", str(log_path)], stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None  # noqa: S101 - it was asked for above
        told = process.stdout.readline()
        if not told:
            raise RuntimeError("the stub ended before it listened; see its message above")
        stub = RunningStub(json.loads(told)["port"], log_path, process)
        if behaviour:
            stub.configure(**behaviour)
        yield stub
    finally:
        _end(process)


def _end(process: "subprocess.Popen[str]") -> None:
    process.terminate()
    try:
        process.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    if process.stdout is not None:
        process.stdout.close()
