"""How far a command is: told when it has changed, and not more often than people read."""

from apps.activity.management import progress
from apps.activity.management.progress import ProgressLine


class Work:
    """Work whose state a test sets, with all that was told of it."""

    def __init__(self):
        self.done = 0
        self.counted = 0
        self.told: list[str] = []
        self.line = ProgressLine(self.told.append, self._sentence)

    def _sentence(self):
        self.counted += 1
        return f"{self.done} done"


def test_what_has_not_changed_is_told_once(monkeypatch):
    monkeypatch.setattr(progress, "EVERY", 0.0)
    work = Work()

    for work.done in (0, 0, 1, 1, 2):
        work.line.tick()
    work.line.tell()

    assert work.told == ["0 done", "1 done", "2 done"]


def test_between_two_lines_nothing_is_even_counted():
    work = Work()

    for work.done in range(100):
        work.line.tick()

    assert (work.told, work.counted) == (["0 done"], 1)


def test_the_end_is_told_at_once():
    work = Work()
    work.line.tick()
    work.done = 1

    work.line.tell()

    assert work.told == ["0 done", "1 done"]
