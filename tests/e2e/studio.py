"""A whole studio as `manage.py up` brings it up, and its commands as a person types them."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Self

import httpx2

from tests.shared_data import ROOT

START_SECONDS = 240  # generous: the suite's own processes compete for the machine
STOP_SECONDS = 30
REPLACED = ("DATABASE_URL", "CELERY_BROKER_URL", "LLM_", "RUBRICSTUDIO_", "DJANGO_SETTINGS_MODULE")


class Studio:
    """`manage.py up` on a data folder of its own; ended by SIGTERM, as a service manager would."""

    def __init__(self, folder: Path, **environment: str) -> None:
        self.data = folder / "data"
        inherited = {k: v for k, v in os.environ.items() if not k.startswith(REPLACED)}
        self.environment = {**inherited, "RUBRICSTUDIO_DATA": str(self.data), **environment}
        self.output = folder / "up.log"
        self.address = ""

    def __enter__(self) -> Self:
        with self.output.open("w") as output:
            self.process = subprocess.Popen(
                [sys.executable, "manage.py", "up", "--port", "0"],
                cwd=ROOT,
                env=self.environment,
                stdout=output,
                stderr=subprocess.STDOUT,
            )
        try:
            self.address = self._wait_for_address()
        except BaseException:  # also when the run is interrupted: nothing may outlive it
            self.stop()
            raise
        return self

    def __exit__(self, *exception: object) -> None:
        self.stop()

    def stop(self) -> None:
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(STOP_SECONDS)

    def _wait_for_address(self) -> str:
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            found = re.search(r"Rubric Studio is at (\S+)", self.output.read_text())
            if found and self._healthy(found[1]):
                return found[1]
            if self.process.poll() is not None:
                break
            time.sleep(0.2)
        raise AssertionError(self.output.read_text())

    @staticmethod
    def _healthy(address: str) -> bool:
        try:
            answer = httpx2.get(f"{address}/healthz", timeout=5).json()
            return bool(answer["status"] == "ok")
        except (httpx2.HTTPError, ValueError):
            return False

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=ROOT,
            env=self.environment,
            capture_output=True,
            text=True,
        )

    def command(self, *arguments: str) -> dict[str, Any]:
        """The JSON object that a command reports; it must have succeeded."""
        ran = self.run(*arguments)
        assert ran.returncode == 0, ran.stderr
        result: dict[str, Any] = json.loads(ran.stdout.splitlines()[-1])
        return result

    def tasks_done(self, name: str) -> int:
        """How often the workers' own logs say that a task of this name ended well."""
        logs = (self.data / "logs").glob("*.log")
        lines = [line for log in logs for line in log.read_text().splitlines()]
        return sum(f"Task {name}[" in line and "succeeded" in line for line in lines)
