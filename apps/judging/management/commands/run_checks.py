"""`manage.py run_checks`: every native checker of the newest specs on every rollout."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser
from django.utils.translation import gettext as _

from apps.accounts.selectors import get_project
from apps.activity.management.base import FlowCommand, Outcome
from apps.judging import services


class Command(FlowCommand):
    help = "Check every rollout against the constraints of its prompt's newest spec."
    result_on_error = {"checks": 0, "passed": 0, "failed": 0, "unavailable": 0}

    def add_arguments(self, parser: CommandParser) -> None:
        self.add_project_argument(parser)

    def run(self, **options: Any) -> Outcome:
        report = services.run_checks(project=get_project(options["project"]))
        if not report.checks:
            self.say(_("The newest specs have no checkers, so there was nothing to check."))
        return Outcome(
            {
                "checks": report.checks,
                "passed": report.passed,
                "failed": report.failed,
                "unavailable": report.unavailable,
            }
        )
