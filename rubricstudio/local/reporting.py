"""A management command in a child process, and the JSON object that it reports."""

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

from rubricstudio.local import paths, processes

SECONDS = 120.0


def report_of(name: str, *options: str, log: Path) -> dict[str, Any]:
    """Run a command; its messages go to the log, the last line that it prints is its report.

    Raises ``subprocess.SubprocessError`` when it fails or takes longer than ``SECONDS``.
    """
    with log.open("ab") as messages:
        answer = subprocess.run(
            [sys.executable, "manage.py", name, *options],
            cwd=paths.CHECKOUT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=messages,
            timeout=SECONDS,
            check=True,
            start_new_session=True,
            preexec_fn=processes.dies_with_parent(signal.SIGTERM),
        )
    report: dict[str, Any] = json.loads(answer.stdout.splitlines()[-1])
    return report
