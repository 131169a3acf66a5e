"""One `up` per data folder: whoever holds the lock has it, and says where it answers."""

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

from rubricstudio.local import paths
from rubricstudio.local.errors import LocalError


@contextlib.contextmanager
def claimed(data: Path, *, url: str) -> Iterator[None]:
    """Have the data folder alone; `LocalError` names the address of who has it already."""
    lock = os.open(paths.private_dir(paths.run_dir(data)) / "up.lock", os.O_RDWR | os.O_CREAT)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        paths.write_state(data, "up", {"pid": os.getpid(), "url": url})
        yield
    except BlockingIOError:
        found = paths.read_state(data, "up")
        raise LocalError(
            f"Rubric Studio already runs on {data} (process {found.get('pid')}): {found.get('url')}"
        ) from None
    finally:
        os.close(lock)
