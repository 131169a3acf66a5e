"""`manage.py up`: the whole studio by one command, on one machine, in one data folder.

It starts the database, then the model server beside what people wait for, then the rest; it stops
workers, beat and the web server first, the model then, and the database last.
"""

import argparse
import contextlib
import os
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from pathlib import Path
from types import FrameType

from rubricstudio.local import parts, paths
from rubricstudio.local.claim import claimed
from rubricstudio.local.database import borrow_database
from rubricstudio.local.demo import bring_demo, is_first_start
from rubricstudio.local.errors import LocalError
from rubricstudio.local.health import (
    Answer,
    ask_health,
    free_port,
    lacking,
    refuse_taken_port,
)
from rubricstudio.local.link import first_link
from rubricstudio.local.migrations import migrate_if_needed
from rubricstudio.local.model import MODEL
from rubricstudio.local.processes import wait_until
from rubricstudio.local.sharing import Share, held
from rubricstudio.local.supervisor import Supervisor, supervised

DEFAULT_PORT = 8000
HIGHEST_PORT = 65535
HEALTHY_SECONDS = 120.0
LOOKS_EVERY = 0.25
PAUSE_AFTER_A_FAILURE = 10.0


class _Stopped(Exception):
    """`up` was asked to stop while it was starting."""


def main(arguments: Sequence[str]) -> int:
    """Bring everything up, stay until asked to stop, and take everything down."""
    options = _parse(arguments)
    os.environ["RUBRICSTUDIO_DATA"] = str(options.data.absolute())
    port = options.port or free_port()
    url = os.environ.setdefault("SITE_URL", f"http://{parts.HOST}:{port}")
    with claimed(paths.data_dir(), url=url):
        refuse_taken_port(port)
        _Run(port=port, url=url).live()
    return 0


def _parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="manage.py up", description="Start Rubric Studio; Ctrl-C stops it."
    )
    of_web = f"of the web server (default {DEFAULT_PORT}); 0 for any free one"
    parser.add_argument("--port", type=_port, default=DEFAULT_PORT, help=of_web)
    parser.add_argument("--data", type=Path, default=paths.data_dir(), help="the data folder")
    return parser.parse_args(arguments)


def _port(text: str) -> int:
    if text.isdecimal() and int(text) <= HIGHEST_PORT:
        return int(text)
    raise argparse.ArgumentTypeError(f"{text!r} is no number from 0 to {HIGHEST_PORT}")


def say(sentence: str) -> None:
    print(sentence, flush=True)


class _Run:
    """One run, from the first progress line to the last."""

    def __init__(self, *, port: int, url: str) -> None:
        self.port = port
        self.url = url
        self.data = paths.data_dir()
        self.shares: list[Share] = []
        self.is_asked_to_stop = False
        self.is_interruptible = False
        self.quiet_until = 0.0
        for signum in (signal.SIGINT, signal.SIGTERM):
            signal.signal(signum, self._note_request)
        if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # as nohup has it
            signal.signal(signal.SIGHUP, self._note_request)

    def live(self) -> None:
        say(f"Rubric Studio starts; its data is in {self.data}.")
        with contextlib.ExitStack() as stack:
            with contextlib.suppress(_Stopped):
                self._come_up(stack)
            say("Stopping workers, beat and web, then the model, then the database …")
        say("Stopped.")

    def _come_up(self, stack: contextlib.ExitStack) -> None:
        self._timed("database", partial(self._start_database, stack))
        self._timed("migrations", self._migrate)
        demo = self._begin_demo(stack)
        model = self._begin_model(stack)
        holds = [share.users for share in self.shares]
        supervisor = stack.enter_context(supervised(self.data, say=say, holds=holds))
        for part in parts.first_parts(port=self.port):
            supervisor.start(part)
        self._timed("model", partial(self._await_model, model))
        self._timed("web server", partial(self._await_web, supervisor))
        self._timed("worker", partial(self._await_the_rest, supervisor))
        if demo is not None:
            self._timed("demo", partial(self._await_demo, demo))
        self._greet()
        self._timed("judging", partial(self._start_further_parts, supervisor))
        self._stay(supervisor)

    def _timed(self, name: str, act: Callable[[], str]) -> None:
        """Take a step and print its line: the part, what it says, the seconds it took."""
        self._go_on()
        started = time.monotonic()
        outcome = act()
        say(f"  {name:<12}{time.monotonic() - started:5.1f} s  {outcome}")

    def _start_database(self, stack: contextlib.ExitStack) -> str:
        share = stack.enter_context(borrow_database())
        if share is None:
            return "the server that DATABASE_URL names"
        self.shares.append(share)
        version = paths.read_state(self.data, "database").get("version")
        return f"PostgreSQL {version}"

    def _migrate(self) -> str:
        log = paths.log_file(self.data, "migrate")
        with self._interruptible():
            return "applied" if migrate_if_needed(log=log) else "none pending"

    def _begin_demo(self, stack: contextlib.ExitStack) -> Future[str] | None:
        """Let a first start bring the demo project in beside the rest; None on any other."""
        if not is_first_start():
            return None
        return stack.enter_context(ThreadPoolExecutor(1)).submit(bring_demo, self.data)

    def _await_demo(self, coming: Future[str]) -> str:
        """Everything else works without it."""
        try:
            return coming.result()
        except LocalError as error:
            return str(error)

    def _begin_model(self, stack: contextlib.ExitStack) -> Future[bool] | None:
        """Let the model load while the parts start, as soon as they can be told its address.

        None when ``LLM_BASE_URL`` names a model server.
        """
        if os.environ.get("LLM_BASE_URL"):
            return None
        share = stack.enter_context(held(MODEL, self.data))
        self.shares.append(share)
        starting = stack.enter_context(ThreadPoolExecutor(1)).submit(share.ensure_running)
        wait_until(lambda: bool(paths.model_environment()) or starting.done(), seconds=30)
        return starting

    def _await_model(self, starting: Future[bool] | None) -> str:
        """Without a model everything else still works, so its absence is only said."""
        try:
            if starting is not None:
                starting.result()
        except LocalError as error:
            self.shares = [share for share in self.shares if share.service is not MODEL]
            return str(error)
        named = paths.model_environment()
        return f"{named.get('LLM_MODEL', 'a model')} at {named.get('LLM_BASE_URL')}"

    def _await_web(self, supervisor: Supervisor) -> str:
        if not self._await(supervisor, bool):
            log = paths.log_file(self.data, "web")
            raise LocalError(f"The web server does not answer; its log is {log}.")
        return self.url

    def _await_the_rest(self, supervisor: Supervisor) -> str:
        self._await(supervisor, lambda answer: not self._lacking(answer))
        missing = self._lacking(ask_health(self.port))
        if missing:
            return f"not there yet: {', '.join(missing)}; see {self.data / 'logs'}"
        return "all parts answer"

    def _start_further_parts(self, supervisor: Supervisor) -> str:
        for part in parts.further_parts():
            supervisor.start(part)
        if self._await(supervisor, lambda answer: answer.get("workers", 0) >= parts.WORKERS):
            return "a second worker takes tasks, and beat runs"
        return f"not there yet; see {self.data / 'logs'}"

    def _lacking(self, answer: Answer) -> list[str]:
        """What /healthz misses, the model aside when there is none to wait for."""
        ignored = set() if paths.model_environment() else {"model"}
        return [name for name in lacking(answer) if name not in ignored]

    def _await(self, supervisor: Supervisor, is_there: Callable[[Answer], bool]) -> bool:
        deadline = time.monotonic() + HEALTHY_SECONDS
        while time.monotonic() < deadline:
            self._go_on()
            supervisor.look()
            if is_there(ask_health(self.port)):
                return True
            time.sleep(LOOKS_EVERY)
        return False

    def _greet(self) -> None:
        say(f"\nRubric Studio is at {self.url}")
        try:
            with self._interruptible():
                if url := first_link(self.data):
                    say(f"Sign in once as the first administrator: {url}")
        except LocalError as error:
            say(str(error))
        say("Ctrl-C stops it.")

    def _stay(self, supervisor: Supervisor) -> None:
        while not self.is_asked_to_stop:
            supervisor.look()
            self._look_after_shares()
            time.sleep(LOOKS_EVERY)

    def _look_after_shares(self) -> None:
        for share in self.shares:
            if time.monotonic() < self.quiet_until or share.is_running():
                continue
            say(f"The {share.service.name} ended; it starts again.")
            try:
                share.ensure_running()
            except LocalError as error:
                say(f"{error} Next try in {PAUSE_AFTER_A_FAILURE:.0f} s.")
                self.quiet_until = time.monotonic() + PAUSE_AFTER_A_FAILURE

    def _note_request(self, _signum: int, _frame: FrameType | None) -> None:
        self.is_asked_to_stop = True
        if self.is_interruptible:
            self.is_interruptible = False
            raise _Stopped

    def _go_on(self) -> None:
        if self.is_asked_to_stop:
            raise _Stopped

    @contextlib.contextmanager
    def _interruptible(self) -> Iterator[None]:
        """Let a request to stop break off what has no half-done state of its own to lose."""
        self.is_interruptible = True
        try:
            self._go_on()
            yield
        finally:
            self.is_interruptible = False
