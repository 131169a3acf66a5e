"""Ctrl-C at a command that carries work: it ends in order, and at once when asked again."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Any

from django.utils.translation import gettext as _


class CtrlC:
    """A context manager around the work; hand `is_set` to whatever carries it as its `ending`."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._told = False
        self._before: Any = None

    def is_set(self) -> bool:
        """Whether somebody pressed it."""
        return self._told

    def __enter__(self) -> CtrlC:
        # Signals reach the main thread alone, and only it may say what becomes of them.
        if threading.current_thread() is threading.main_thread():
            self._before = signal.signal(signal.SIGINT, self._note)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)

    def _note(self, _signum: int, _frame: FrameType | None) -> None:
        if self._told:
            raise KeyboardInterrupt
        self._told = True
        self._say(_("Stopping: what is under way is stored first. Press Ctrl-C again to leave it."))
