"""How one worker carries a job that makes specs: many prompts under way, one transaction each.

An event loop in another thread asks the model; this thread takes prompts, stores what came of them
and beats. When time is up no new prompt is begun, what is under way is finished, and the job goes
back to the queue. A process that has to end gives up what takes too long: the calls are stored, the
prompt stays to be done.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field

from apps.accounts.models import Project
from apps.activity import services as activity
from apps.activity.ending import GRACE_SECONDS
from apps.activity.models import Job
from apps.calls.services import blocked_sentence
from apps.prompts.models import PromptRevision
from apps.specs import selectors
from apps.specs.models import Spec
from apps.specs.services.asking import AskingLoop
from apps.specs.services.composing import Method
from apps.specs.services.given import given_parts
from apps.specs.services.keeping import (
    UNREADABLE,
    Failure,
    Item,
    keep,
    keep_calls,
    keep_failure,
)
from apps.specs.services.saving import prompt_of
from apps.specs.services.writers import Answers, Desk
from rubricstudio.core.checkers.extract import extract
from rubricstudio.core.errors import CoreError
from rubricstudio.core.types import Constraint, FailureCause
from rubricstudio.llm.client import OF_THE_ENDPOINT
from rubricstudio.llm.conversation import last_user_text

BEAT_SECONDS = 1.0
READ_AT_ONCE = 50

PATIENCE = 8
"""So many prompts in a row that got no answer at all stop the job as well."""


def never() -> bool:
    return False


def nothing() -> None:
    return None


@dataclass
class Carrier:
    """One worker at one job. `left` says whether there is more to do, `blocked` why it stands."""

    job: Job
    project: Project
    method: Method
    limit: int | None
    remake: bool
    desk: Desk | None
    until: float
    ending: Callable[[], bool] = never
    on_beat: Callable[[], None] = nothing
    left: bool = False
    lost: bool = False
    blocked: str = ""
    handled: int = 0
    _pending: dict[Future[Answers], Item] = field(default_factory=dict)
    _unanswered: int = 0
    _beaten_at: float = 0.0

    def carry(self) -> None:
        self.handled = selectors.made_by(self.job).handled
        with self._asking() as loop:
            for item in self._items():
                if loop is None or not item.wanted:
                    self._keep(item, Answers())
                else:
                    asked = loop.submit(prompt_of(item.revision), item.wanted)
                    self._pending[asked] = item
                    self._wait_for_room()
                self._beat()
            self._finish_pending()
            if loop is not None and self._pending:
                loop.give_up()
                while self._pending:
                    self._take_answers()

    def _asking(self) -> AbstractContextManager[AskingLoop | None]:
        return nullcontext() if self.desk is None else AskingLoop(self.desk.opened())

    def _items(self) -> Iterator[Item]:
        for revision, parent in self._revisions():
            if not self._may_begin():
                self.left = True
                return
            try:
                given = given_parts(revision.given)
            except CoreError as error:
                keep_failure(revision, Failure(UNREADABLE, str(error)), job=self.job)
                self.handled += 1
                continue
            rules = self._read(revision) if self.method.reads(given) else None
            code = self.desk is not None and self.desk.writes_code
            yield Item(revision, parent, given, self.method.wanted(given, code=code), rules)

    def _read(self, revision: PromptRevision) -> tuple[Constraint, ...]:
        """What rules find, before a model is asked, in what a checker takes for the prompt."""
        return extract(last_user_text(prompt_of(revision)))

    def _revisions(self) -> Iterator[tuple[PromptRevision, Spec | None]]:
        """The prompts still to do, with their newest specs; a few texts in memory at a time."""
        todo = selectors.prompts_to_specify(
            self.project, remake=self.remake, job=self.job
        ).values_list("pk", flat=True)
        pks = list(todo if self.limit is None else todo[: max(0, self.limit - self.handled)])
        for start in range(0, len(pks), READ_AT_ONCE):
            some = pks[start : start + READ_AT_ONCE]
            rows = PromptRevision.objects.select_related("prompt__project").in_bulk(some)
            newest = selectors.newest_by_revision(some)
            yield from ((rows[pk], newest.get(pk)) for pk in some)

    def _may_begin(self) -> bool:
        stopped = self.blocked or self.lost or self.ending()
        return not stopped and time.monotonic() < self.until

    def _wait_for_room(self) -> None:
        most = self.desk.at_once if self.desk is not None else 0
        while len(self._pending) >= most and not (self.lost or self.ending()):
            self._take_answers()

    def _finish_pending(self) -> None:
        """What is under way is finished, unless the job was taken away or the process must end."""
        ends_at = float("inf")
        while self._pending and not self.lost and time.monotonic() < ends_at:
            if self.ending():
                ends_at = min(ends_at, time.monotonic() + GRACE_SECONDS)
            self._take_answers()

    def _take_answers(self) -> None:
        done, _open = wait(self._pending, timeout=BEAT_SECONDS, return_when=FIRST_COMPLETED)
        for asked in done:
            self._keep(self._pending.pop(asked), asked.result())
            self._beat()
        self._beat()

    def _keep(self, item: Item, answers: Answers) -> None:
        flaw = answers.flaw()
        failure = flaw[1].failure if flaw else None
        self._look_at(failure, detail=flaw[1].detail if flaw else "")
        if self.lost or failure in OF_THE_ENDPOINT or failure is FailureCause.CANCELLED:
            keep_calls(item, answers, job=self.job, desk=self.desk)
            self.left = True
        else:
            keep(item, answers, job=self.job, desk=self.desk)
            self.handled += 1

    def _look_at(self, failure: FailureCause | None, *, detail: str) -> None:
        """A model that answers nobody stops the job."""
        if failure is None:
            self._unanswered = 0
        elif failure is not FailureCause.CANCELLED:
            self._unanswered += 1
            if failure in OF_THE_ENDPOINT or self._unanswered >= PATIENCE:
                self.blocked = blocked_sentence(failure, detail)

    def _beat(self) -> None:
        now = time.monotonic()
        if now - self._beaten_at >= BEAT_SECONDS:
            self._beaten_at = now
            self.lost = not activity.beat(job=self.job, done=self.handled)
            self.on_beat()
