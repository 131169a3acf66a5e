"""Import prompts from a file into a project, which is created if there is none."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser
from django.db import transaction

from apps.accounts.services import get_or_create_project
from apps.activity.management.base import Outcome
from apps.prompts.management.base import ImportCommand, file_of
from apps.prompts.services import import_prompts
from apps.prompts.shapes import SHAPES


class Command(ImportCommand):
    help = "Import prompts from a JSONL, JSON, CSV or TSV file."
    shapes = SHAPES

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--licence", default="", help="of the prompts in the file")
        parser.add_argument("--url", default="", help="where the file comes from")
        parser.add_argument("--allowed-use", default="", help="what it may be used for")

    def run(self, **options: Any) -> Outcome:
        origin = {name: options[name] for name in ("licence", "url", "allowed_use")}
        file, dry_run = file_of(options, **origin), options["dry_run"]
        with transaction.atomic():
            project = get_or_create_project(slug=options["project"])
            result = import_prompts(project, file, dry_run=dry_run)
            if dry_run:
                transaction.set_rollback(True)  # or it would leave the project behind
        return self.report(result)
