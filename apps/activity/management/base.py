"""What every command of the flow has in common.

Messages go to standard error; the last line of standard output is one JSON object. Exit 0: every
unit reached a final state; 1: paused, blocked or nothing could be done; 2: bad usage.
"""

from __future__ import annotations

import json
import sys
from typing import Any, NamedTuple

from django.core.management.base import BaseCommand, CommandParser

from apps.activity.errors import ApplicationError
from rubricstudio.core.errors import CoreError


class Outcome(NamedTuple):
    """What a command reports, and whether every unit reached a final state."""

    result: dict[str, Any]
    complete: bool = True


class FlowCommand(BaseCommand):
    """A command that reports one JSON object; `run` does the work through services."""

    requires_system_checks: list[str] = []
    result_on_error: dict[str, Any] = {}
    hint_on_error = ""

    def add_project_argument(self, parser: CommandParser) -> None:
        parser.add_argument("--project", required=True, metavar="SLUG", help="the project's slug")

    def run(self, **options: Any) -> Outcome:
        raise NotImplementedError

    def say(self, message: str) -> None:
        self.stderr.write(message)

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            outcome = self.run(**options)
        except (ApplicationError, CoreError) as error:
            self.say(str(error))
            if self.hint_on_error:
                self.say(self.hint_on_error)
            outcome = Outcome({**self.result_on_error, "error": str(error)}, complete=False)
        self.stdout.write(json.dumps(outcome.result, ensure_ascii=False))
        if not outcome.complete:
            self.stdout.flush()
            sys.exit(1)
