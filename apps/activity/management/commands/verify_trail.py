from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from apps.activity import selectors
from apps.activity.management.base import FlowCommand, Outcome


class Command(FlowCommand):
    help = "Recompute the seals of the audit trail and name the first that does not hold."
    result_on_error = {"seals": 0, "sealed": 0, "unsealed": 0, "broken": []}

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--project", metavar="SLUG", help="only this project's trail")

    def run(self, **options: Any) -> Outcome:
        checks = [
            selectors.verify_trail(project_id)
            for project_id in selectors.trails(slug=options["project"])
        ]
        broken = [check for check in checks if check.broken]
        for check in broken:
            self.say(f"seal {check.broken} of project {check.project_id}: {check.reason}")
        return Outcome(
            {
                "seals": sum(check.seals for check in checks),
                "sealed": sum(check.sealed for check in checks),
                "unsealed": sum(check.unsealed for check in checks),
                "broken": [check.broken and check.broken.sha256 for check in broken],
            },
            complete=not broken,
        )
