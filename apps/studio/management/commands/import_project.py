from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from apps.accounts.selectors import get_user
from apps.activity.management.base import FlowCommand, Outcome
from apps.studio import services


class Command(FlowCommand):
    help = "Bring a project in from the file that export_project wrote, under a new short name."
    result_on_error = {"project": None, "rows": 0, "people_created": []}

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", metavar="FILE", type=Path)
        self.add_project_argument(parser)
        parser.add_argument("--name", default="", help="the project's name, else the one it had")
        parser.add_argument("--admin", metavar="USER", help="who administers it")

    def run(self, **options: Any) -> Outcome:
        imported = services.import_project(
            options["file"],
            slug=options["project"],
            name=options["name"],
            actor=get_user(options["admin"]) if options["admin"] else None,
        )
        for name in imported.people:
            self.say(f"{name} was created switched off")
        return Outcome(
            {
                "project": imported.project.slug,
                "rows": imported.rows,
                "people_created": list(imported.people),
            }
        )
