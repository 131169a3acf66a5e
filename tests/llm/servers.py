"""Real model servers as child processes of a test."""

import contextlib
import os
import signal
import socket
import subprocess
import time
from urllib.request import urlopen

import pytest


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_until_healthy(url, process, *, seconds):
    """Return when the address answers 200; fail when it does not, or the process is gone."""
    until = time.monotonic() + seconds
    while time.monotonic() < until and process.poll() is None:
        try:
            with urlopen(url, timeout=5):  # noqa: S310 - always http on loopback
                return
        except OSError:
            time.sleep(0.2)
    pytest.fail(f"no server answers at {url}; the process ended with {process.poll()}")


def end(process, *, seconds=60):
    """Ask a process that leads its own session to end; then make it and its children end."""
    process.terminate()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(seconds)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
