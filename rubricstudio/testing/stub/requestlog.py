"""The stub's log: one line of JSON per chat request, on disk a moment after it ended.

Tests read from it what really reached the model. Lines are written together every few
milliseconds and flushed, so that killing this server loses no more than that.
"""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Final, NamedTuple

FLUSH_EVERY: Final = 0.01


class LoggedRequest(NamedTuple):
    """One chat request. Times are seconds since the epoch.

    ``status`` is 0 where no answer was sent; ``disconnected`` tells that the client went away
    before its answer was there. ``body_sha256`` is that of the request's bytes, which is
    ``CallRecord.request_sha256`` on the client's side. ``in_flight`` counts the requests being
    worked on when this one arrived, itself included.
    """

    id: int
    start: float
    end: float
    status: int
    body_sha256: str
    in_flight: int
    fault: str = ""
    disconnected: bool = False


class RequestLog:
    """Appends to a file; without a path it keeps nothing."""

    def __init__(self, path: Path | None) -> None:
        self._file: IO[str] | None = path.open("a", encoding="utf-8") if path else None
        self._flush_planned = False

    def write(self, request: LoggedRequest) -> None:
        if self._file is None:
            return
        self._file.write(json.dumps(request._asdict()) + "\n")
        if not self._flush_planned:
            self._flush_planned = True
            asyncio.get_running_loop().call_later(FLUSH_EVERY, self.flush)

    def flush(self) -> None:
        self._flush_planned = False
        if self._file is not None and not self._file.closed:
            self._file.flush()

    def close(self) -> None:
        if self._file is not None:
            self._file.close()


def read_log(path: Path) -> Iterator[LoggedRequest]:
    """The requests of a log; a line that is still being written is left for later."""
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            if line.endswith("\n"):
                yield LoggedRequest(**json.loads(line))
