"""A service for the tests of sharing: it notes its starts and says that it lives."""

import os
import sys
from pathlib import Path

from rubricstudio.local import sharing
from rubricstudio.local.errors import LocalError
from tests.local.observing import PATIENCE

ECHO = sharing.Service(name="echo", module="tests.local.echo_service", start_seconds=PATIENCE)


def start(data: Path) -> dict[str, str]:
    if (data / "refuse").exists():
        raise LocalError("It does not want to.")
    with (data / "starts").open("a") as starts:
        starts.write(f"{os.getpid()}\n")
    return {"greeting": "hello"}


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    sharing.keep(
        ECHO,
        folder,
        start=lambda: start(folder),
        is_alive=lambda: not (folder / "die").exists(),
        stop=(folder / "stopped").touch,
    )
