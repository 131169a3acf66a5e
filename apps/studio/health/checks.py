"""Asking each part, within a second, whatever happens to the part.

Each question runs in a thread of its own: a database or a broker that swallows packets would hold
the page for minutes. A question that still waits is not asked a second time, so threads do not
pile up; its part simply does not answer.
"""

from __future__ import annotations

import logging
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Event, Lock, Thread
from typing import Any

from celery import current_app
from django.db import connection

from apps.activity.selectors import living_workers, seconds_without_worker
from apps.calls.models import ModelRole
from apps.calls.selectors import role_for
from apps.specs.services import NoJail, jail_ladder
from rubricstudio.local import paths

logger = logging.getLogger(__name__)

SECONDS = 1
# A broker and a model server are asked this often at most, however many probes come.
FRESH_SECONDS = 3.0
SERVER_ERROR = 500
FULL, REFUSED = "full", "refused"

Facts = dict[str, Any]


class NotSet(Exception):
    """The part was never configured, so there is nothing to ask."""


@dataclass(frozen=True)
class Answer:
    """What a part said; `facts` depend on the part. Not `ok`: it is silent, or not `configured`."""

    ok: bool
    facts: Facts = field(default_factory=dict)
    configured: bool = True


class Check:
    """Asks one part in a thread, one question at a time; keeps the answer for `fresh` seconds."""

    def __init__(self, name: str, ask: Callable[[], Facts], *, fresh: float = 0.0) -> None:
        self.name = name
        self._ask = ask
        self._fresh = fresh
        self._lock = Lock()
        self._pending: Event | None = None
        self._answer = Answer(ok=False)
        self._answered_at = float("-inf")

    def start(self) -> None:
        """Ask, unless a question is under way or the last answer is fresh."""
        with self._lock:
            if self._pending or time.monotonic() - self._answered_at < self._fresh:
                return
            self._pending = Event()
        Thread(target=self._run, name=f"health-{self.name}", daemon=True).start()

    def answer(self, deadline: float) -> Answer:
        """The answer, waited for until `deadline` on the monotonic clock."""
        pending = self._pending
        if pending and not pending.wait(max(0.0, deadline - time.monotonic())):
            return Answer(ok=False)
        return self._answer

    def _run(self) -> None:
        try:
            answer = Answer(ok=True, facts=self._ask())
        except NotSet:
            answer = Answer(ok=False, configured=False)
        except Exception as error:  # noqa: BLE001 - whatever a part fails with, it does not answer
            logger.warning("%s does not answer: %s", self.name, error)
            answer = Answer(ok=False)
        finally:
            connection.close()
        with self._lock:
            pending, self._pending = self._pending, None
            self._answer, self._answered_at = answer, time.monotonic()
        if pending:
            pending.set()


def ask_database() -> Facts:
    with connection.cursor() as cursor:
        cursor.execute("SHOW server_version")
        return {"version": str(cursor.fetchone()[0]).split()[0]}


def ask_queue() -> Facts:
    with current_app.connection_for_read() as broker:
        broker.ensure_connection(max_retries=1, interval_start=0, timeout=SECONDS)
        return {"transport": broker.transport.driver_type}


def ask_model() -> Facts:
    """Any reply below 500 counts: the list of models may need a key that is not sent here."""
    address = _model_address()
    try:
        # Nothing but http and https comes out of _model_address.
        with urllib.request.urlopen(f"{address}/models", timeout=SECONDS):  # noqa: S310
            pass
    except urllib.error.HTTPError as error:
        if error.code >= SERVER_ERROR:
            raise
    return {"address": address}


def _model_address() -> str:
    """Of the server that the environment names, else of the one that judges."""
    address = paths.model_environment().get("LLM_BASE_URL", "")
    if not address:
        role = role_for(None, ModelRole.Name.JUDGE)
        address = role.endpoint.url if role else ""
    if not address.startswith(("http://", "https://")):
        raise NotSet
    return address.rstrip("/")


def ask_workers() -> Facts:
    return {
        "workers": list(living_workers()),
        "silent_for": seconds_without_worker(),
    }


def ask_jail() -> Facts:
    """Which walls hold generated checkers; that there are none is an answer too."""
    try:
        ladder = jail_ladder()
    except NoJail as error:
        return {"rung": REFUSED, "meaning": error.message, "layers": []}
    return {"rung": ladder.rung.value, "meaning": ladder.meaning, "layers": list(ladder.layers)}


def new_checks() -> dict[str, Check]:
    checks = (
        Check("database", ask_database),
        Check("queue", ask_queue, fresh=FRESH_SECONDS),
        Check("model", ask_model, fresh=FRESH_SECONDS),
        Check("workers", ask_workers),
        Check("jail", ask_jail, fresh=FRESH_SECONDS),
    )
    return {check.name: check for check in checks}


CHECKS = new_checks()


def ask_all() -> dict[str, Answer]:
    """Every part's answer, by name; all are asked at once."""
    deadline = time.monotonic() + SECONDS
    for check in CHECKS.values():
        check.start()
    return {name: check.answer(deadline) for name, check in CHECKS.items()}
