"""Import rollouts from a file: a trainer's log, an evaluation's output."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from apps.accounts.selectors import get_project
from apps.activity.management.base import Outcome
from apps.prompts.management.base import ImportCommand, file_of
from apps.rollouts.services import import_rollouts


class Command(ImportCommand):
    help = "Import rollouts from a JSONL, JSON, CSV or TSV file."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--policy", required=True, metavar="NAME", help="who answered, where no column says so"
        )

    def run(self, **options: Any) -> Outcome:
        result = import_rollouts(
            get_project(options["project"]),
            file_of(options),
            policy=options["policy"],
            dry_run=options["dry_run"],
        )
        return self.report(result)
