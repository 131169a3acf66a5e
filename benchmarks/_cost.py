"""What a piece of work takes: time on the clock, and CPU here and in the database."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, NamedTuple

import psutil


class Cost(NamedTuple):
    """Seconds on the clock, of this process's CPU, and of the CPU behind its connection."""

    seconds: float
    cpu_s: float
    database_cpu_s: float


def cost_of(work: Callable[[], Any]) -> tuple[Any, Cost]:
    """What the work returns, and what it took; Django is set up already."""
    backend = _backend()
    started, own, database = time.perf_counter(), time.process_time(), _spent(backend)
    result = work()
    took, own = time.perf_counter() - started, time.process_time() - own
    return result, Cost(took, own, _spent(backend) - database)


def _backend() -> psutil.Process:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        return psutil.Process(cursor.fetchone()[0])


def _spent(process: psutil.Process) -> float:
    times = process.cpu_times()
    return float(times.user + times.system)
