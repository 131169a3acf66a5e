"""A service for the tests of sharing: it only says that it lives. Run by its keeper."""

import sys
from pathlib import Path

from rubricstudio.local import sharing
from rubricstudio.local.errors import LocalError

ECHO = sharing.Service(name="echo", module="tests.local.echo_service", start_seconds=20.0)


def start(data: Path) -> dict[str, str]:
    if (data / "refuse").exists():
        raise LocalError("It does not want to.")
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
