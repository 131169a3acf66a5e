"""Whether this worker was told to stop: a long task looks here, and gives back what is left."""

from __future__ import annotations

import multiprocessing
from typing import Any

from celery.signals import worker_shutting_down

GRACE_SECONDS = 4.0
"""How long answers under way are waited for: a stop takes seconds, and what is cut short costs."""

# Made before the pool forks, so the children see what the worker's main process sets.
_told = multiprocessing.Event()


def is_ending() -> bool:
    """Whether to begin nothing more; what is under way is still stored."""
    return _told.is_set()


@worker_shutting_down.connect
def _end_soon(**_signal: Any) -> None:
    _told.set()
