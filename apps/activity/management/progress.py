"""How far the work is, told when that has changed and every few seconds at most."""

from __future__ import annotations

import time
from collections.abc import Callable

EVERY = 5.0


class ProgressLine:
    """Tells a sentence that is made anew each time it may be told: counting is not for free."""

    def __init__(self, say: Callable[[str], None], sentence: Callable[[], str]) -> None:
        self._say = say
        self._sentence = sentence
        self._said = ""
        self._next_at = 0.0

    def tick(self) -> None:
        """Called as often as may be."""
        if time.monotonic() >= self._next_at:
            self.tell()

    def tell(self) -> None:
        """How far it is now, unless that was the last thing told."""
        self._next_at = time.monotonic() + EVERY
        sentence = self._sentence()
        if sentence != self._said:
            self._said = sentence
            self._say(sentence)
